"""A stand-in for a training: replace it with your own.

It is called once for each trial, and prints its metrics in JSON as the last line.
"""

import argparse
import json
import math

parser = argparse.ArgumentParser()
parser.add_argument("--rate", type=float, required=True)
parser.add_argument("--layers", type=int, required=True)
parser.add_argument("--batch", type=int, required=True)
parser.add_argument("--optimizer", default="adam")
parser.add_argument("--workers", type=int, default=1)
parser.add_argument("--data", type=float, default=1.0, help="share of the training data to use")
given = parser.parse_args()

miss = (math.log10(given.rate) + 2.3) ** 2 / 8 + (given.layers - 3) ** 2 / 30
accuracy = (0.97 - 0.05 * (given.optimizer == "sgd")) * math.exp(-miss) * given.data**0.05
seconds = 200 * given.data * given.layers * (64 / given.batch) ** 0.5 / given.workers**0.8

print(f"trained {given.layers} layers on {given.data:.0%} of the data")
# Leave out the time, and it is measured. This training only pretends to take its time.
print(json.dumps({"accuracy": round(accuracy, 4), "time": round(seconds, 1)}))
