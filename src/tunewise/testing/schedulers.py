"""What every rule of the scheduler must do, as tests to inherit from.

```python
class TestMine(SchedulerConformance):
    rule = "mine"
```
"""

from collections.abc import Iterator

import numpy as np
import pytest

from tunewise.errors import TenancyError
from tunewise.surrogate import Array
from tunewise.tenancy import Device, Log, Pick, RuleSpec, Scheduler

MODELS = [f"model-{k}" for k in range(6)]
ORDERS = {"citations": MODELS, "year": MODELS[::-1]}


def measured(users: int, seed: int = 0) -> tuple[Array, Array]:
    """Made-up accuracies and seconds of users, (users, models) each; the first are the same."""
    rngs = [np.random.default_rng([seed, user]) for user in range(users)]
    level = np.array([rng.normal(1.0, 0.8) + rng.normal(0, 0.4, len(MODELS)) for rng in rngs])
    size = np.array([np.exp(rng.normal(0, 1) + np.linspace(0, 2, len(MODELS))) for rng in rngs])
    return 1 / (1 + np.exp(-level)), size


class SchedulerConformance:
    """Inherit, name a rule, and pytest finds the rest."""

    rule: str | RuleSpec = "hybrid"

    def scheduler(self, users: int = 5, seed: int = 0, patience: int | None = None) -> Scheduler:
        """A scheduler with a log and users who know their run times."""
        log = Log(*measured(12, seed=99))
        scheduler = Scheduler(MODELS, self.rule, log, seed, patience=patience, order=ORDERS)
        seconds = measured(users)[1]
        for user in range(users):
            scheduler.join(f"user-{user}", dict(zip(MODELS, seconds[user], strict=True)))
        return scheduler

    def served(self, scheduler: Scheduler, users: int = 5) -> Iterator[Pick]:
        """All picks until nothing is open, each told from the made-up table."""
        accuracy, seconds = measured(users)
        while (pick := scheduler.next()) is not None:
            user, model = int(pick.user.partition("-")[2]), MODELS.index(pick.model)
            scheduler.tell(pick, float(accuracy[user, model]), float(seconds[user, model]))
            yield pick

    def test_everyone_gets_every_model_once(self) -> None:
        """And then there is nothing to do."""
        scheduler = self.scheduler()
        pairs = [(pick.user, pick.model) for pick in self.served(scheduler)]
        assert len(pairs) == len(set(pairs)) == 5 * len(MODELS)
        assert scheduler.next() is None

    def test_the_same_seed_makes_the_same_picks(self) -> None:
        """Decisions are a function of the calls and the seed."""
        first, second = (list(self.served(self.scheduler(seed=3))) for _ in range(2))
        assert first == second

    def test_a_users_models_do_not_depend_on_other_users(self) -> None:
        """Nobody's data or name changes the order in which a user's models are tried."""
        alone = [pick.model for pick in self.served(self.scheduler(users=1), users=1)]
        among = [p.model for p in self.served(self.scheduler()) if p.user == "user-0"]
        assert alone == among

    def test_nobody_waits_longer_than_patience_allows(self) -> None:
        """Counted in picks, and told in advance."""
        scheduler = self.scheduler(patience=2)
        promised = {name: scheduler.outlook(name).longest_wait for name in scheduler.users}
        last = dict.fromkeys(scheduler.users, 0)
        tried = dict.fromkeys(scheduler.users, 0)
        for now, pick in enumerate(self.served(scheduler), start=1):
            assert now - last[pick.user] <= (promised[pick.user] or 0)
            last[pick.user] = now
            promised[pick.user] = scheduler.outlook(pick.user).longest_wait
            tried[pick.user] += 1
            for name, count in tried.items():
                assert count == len(MODELS) or now - last[name] <= (promised[name] or 0)

    def test_what_runs_is_not_given_out_again(self) -> None:
        """Many picks may run at once, each of another model or user."""
        scheduler = self.scheduler()
        picks = [scheduler.next() for _ in range(5 * len(MODELS))]
        assert len({(p.user, p.model) for p in picks if p is not None}) == 5 * len(MODELS)
        assert scheduler.next() is None
        for pick in picks:
            assert pick is not None
            scheduler.tell(pick, 0.5, 1.0)
        assert scheduler.running == []

    def test_a_free_device_never_waits(self) -> None:
        """As long as anything is open."""
        log = Log(*measured(12, seed=99))
        devices = [Device("fast", speed=2.0), Device("slow")]
        scheduler = Scheduler(MODELS, self.rule, log, devices=devices, order=ORDERS)
        scheduler.join("anna")
        first, second = scheduler.next(), scheduler.next()
        assert first is not None and second is not None
        assert (first.device, second.device) == ("fast", "slow")
        assert scheduler.next() is None
        scheduler.tell(second, 0.5)
        third = scheduler.next()
        assert third is not None and third.device == "slow"

    def test_a_failed_model_is_not_tried_again(self) -> None:
        """And the others still are."""
        scheduler = self.scheduler(users=1)
        failed = scheduler.next()
        assert failed is not None
        scheduler.fail(failed, seconds=1.0)
        assert failed.model not in [pick.model for pick in self.served(scheduler, users=1)]

    def test_users_come_and_go_at_any_time(self) -> None:
        """Who has left is not served; who comes is."""
        scheduler = self.scheduler(users=2)
        pick = scheduler.next()
        assert pick is not None
        scheduler.leave(pick.user)
        scheduler.tell(pick, 0.9, 1.0)
        scheduler.join("new")
        assert {p.user for p in self._told(scheduler)} == {*scheduler.users}

    def test_it_works_without_any_log(self) -> None:
        """From zero logs on."""
        scheduler = Scheduler(MODELS, self.rule, order=ORDERS)
        scheduler.join("anna")
        assert len(list(self._told(scheduler))) == len(MODELS)

    def test_every_pick_says_why(self) -> None:
        """In a sentence that names the model."""
        pick = self.scheduler().next()
        assert pick is not None and pick.model in pick.why and pick.seconds > 0

    def test_a_pick_is_told_once(self) -> None:
        """A second time is a mistake of the caller."""
        scheduler = self.scheduler()
        pick = scheduler.next()
        assert pick is not None
        scheduler.tell(pick, 0.5)
        with pytest.raises(TenancyError, match="not running"):
            scheduler.tell(pick, 0.5)

    def _told(self, scheduler: Scheduler) -> Iterator[Pick]:
        while (pick := scheduler.next()) is not None:
            scheduler.tell(pick, 0.5, 1.0)
            yield pick
