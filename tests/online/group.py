"""What each process of a group under torchrun runs: a line through 64 rows."""

SCRIPT = """\
import torch
from tunewise.online.torchrun.replica import Replica

torch.manual_seed(0)
x = torch.randn(64, 5, dtype=torch.float64)
y = x @ torch.arange(5, dtype=torch.float64)
model = torch.nn.Linear(5, 1, dtype=torch.float64)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
replica = Replica(model, optimizer, every=EVERY)
if replica.setting["bucket_mb"] == 13:
    raise SystemExit("bucket 13 does not fit")

def batches(replica, epoch):
    # All 64 rows in an iteration, however many processes and batches they are dealt to.
    parts = replica.workers * replica.setting["accumulation"]
    for rows in torch.arange(64).chunk(parts)[replica.rank :: replica.workers]:
        yield x[rows], y[rows]

replica.train(lambda model, b: ((model(b[0])[:, 0] - b[1]) ** 2).mean(), batches)
"""
