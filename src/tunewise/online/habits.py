"""Tells people of loops that do not do what they are meant to, once each."""

import logging
import math

from tunewise.format import duration
from tunewise.online.until import FEW, Until


class Habits:
    """What a loop does with its tuner."""

    def __init__(self, until: Until) -> None:
        """Nothing was seen yet."""
        self._until = until
        self._late = self._over = self._empty = 0
        self._said: set[str] = set()

    def look(self, changed: bool, done: bool, uncounted: bool) -> None:
        """Take in a report: after a change, after the end, or without a count of samples."""
        self._over = self._over + 1 if done else 0
        self._late = self._late + 1 if changed and not done else 0
        if self._late == FEW:
            self._say(
                f"the setting changed {FEW} reports ago, and the loop goes on under the old"
                " one: expected that it looks at tuner.changed after each report, and leaves"
            )
        if self._over == FEW:
            self._say(
                f"the training is done ({self._until}), and the loop goes on: expected that it"
                " looks at tuner.changed or tuner.done after each report, and leaves"
            )
        if uncounted and self._until.samples is not None and not done:
            self._say(
                f"a report told no samples, so that it counts as one; the training ends when"
                f" {self._until}: expected tuner.report(samples=…)"
            )

    def count(self, samples: float) -> None:
        """Take in how many samples a report told of."""
        self._empty = 0 if samples else self._empty + 1
        if self._empty == FEW and self._until.samples is not None:
            self._say(
                f"{FEW} reports in a row told samples=0; the training ends when"
                f" {self._until}: expected how many samples each iteration has gone through"
            )

    def untried(self, switch: float, seconds: float, tries: float) -> None:
        """Tell of a training that has ended under its first setting, since no try fitted in."""
        there_and_back = 2 * switch
        if 0 < tries * seconds < there_and_back < seconds:
            # What its iterations may be behind has to fit in, too.
            share = (1 + math.ceil(100 * there_and_back / seconds)) / 100
            self._say(
                f"no other setting was tried: a switch and its way back take"
                f" {duration(there_and_back)}, and tries may cost {100 * tries:g} % of the"
                f" training; tries={share:g} would allow one"
            )

    def _say(self, sentence: str) -> None:
        if sentence not in self._said:
            self._said.add(sentence)
            logging.getLogger("tunewise").warning("%s", sentence)
