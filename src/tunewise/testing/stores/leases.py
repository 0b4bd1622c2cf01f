"""How a store gives trials out: each to one worker at a time."""

import time
from concurrent.futures import ThreadPoolExecutor

from tunewise.history import Measurement, TrialState
from tunewise.study import Owner, Store
from tunewise.study.store import Renewal
from tunewise.testing.stores.parts import LONG, SHORT, added, asked, dead_owner, far_owner


class LeasesConformance:
    """Tests of how trials are given out, and given out again."""

    def test_an_added_trial_with_an_owner_runs_and_without_one_waits(self, store: Store) -> None:
        """Only what a person wants tried is enqueued."""
        running, waiting = asked(store, far_owner()), added(store)
        assert (running.state, running.enqueued) == (TrialState.RUNNING, False)
        assert (waiting.state, waiting.enqueued) == (TrialState.WAITING, True)
        assert running.asked_at is not None
        assert waiting.asked_at is None
        assert list(store.history("s")) == [running, waiting]

    def test_the_lowest_waiting_trial_is_claimed_first(self, store: Store, other: Store) -> None:
        """And each only once."""
        added(store), added(store)
        owner = far_owner()
        claimed = [s.claim("s", owner, LONG) for s in (store, other, store)]
        assert [trial and trial.number for trial in claimed] == [0, 1, None]
        assert claimed[0] is not None
        assert (claimed[0].state, claimed[0].enqueued) == (TrialState.RUNNING, True)
        assert claimed[0].asked_at is not None

    def test_threads_that_claim_at_once_get_different_trials(self, store: Store) -> None:
        """No trial is given out twice."""
        for _ in range(16):
            added(store)
        with ThreadPoolExecutor(8) as pool:
            claimed = list(pool.map(lambda i: store.claim("s", far_owner(str(i)), LONG), range(20)))
        assert sorted(t.number for t in claimed if t is not None) == list(range(16))

    def test_a_running_trial_is_not_given_out(self, store: Store) -> None:
        """Neither that of a live process here nor that of a far one under its lease."""
        asked(store, Owner.here()), asked(store, far_owner())
        assert store.claim("s", far_owner("idle"), LONG) is None

    def test_it_tells_which_trials_nobody_works_on(self, store: Store) -> None:
        """Those of a dead process and waiting ones, as `claim` would give them out."""
        asked(store, far_owner()), asked(store, dead_owner()), added(store)
        assert store.idle("s", far_owner("other")) == {1, 2}
        store.claim("s", far_owner(), LONG)
        assert store.idle("s", far_owner("other")) == {2}

    def test_it_tells_whom_running_trials_were_given_to(self, store: Store) -> None:
        """The dead included: a person wants to know who died."""
        far, dead = far_owner(), dead_owner()
        asked(store, far), asked(store, dead), added(store)
        assert store.owners("s") == {0: far, 1: dead}
        store.tell("s", 0, Measurement({"accuracy": 0.5}), far)
        assert store.owners("s") == {1: dead}

    def test_a_trial_whose_lease_ended_is_given_out_again(self, store: Store) -> None:
        """Its worker has been silent for too long."""
        first = asked(store, far_owner(), lease=SHORT)
        time.sleep(2 * SHORT)
        again = store.claim("s", far_owner("idle"), LONG)
        assert again == first
        assert again is not None
        assert again.asked_at is not None and first.asked_at is not None
        assert again.asked_at > first.asked_at
        assert store.claim("s", far_owner("third"), LONG) is None

    def test_a_trial_of_a_dead_process_is_given_out_at_once(self, store: Store) -> None:
        """Its lease need not end."""
        trial = asked(store, dead_owner())
        assert store.claim("s", Owner.here(), LONG) == trial

    def test_an_owner_is_not_given_its_own_running_trial(self, store: Store) -> None:
        """A silent worker that comes back must not run its trial twice."""
        asked(store, far_owner(), lease=SHORT)
        time.sleep(2 * SHORT)
        assert store.claim("s", far_owner(), LONG) is None

    def test_renewing_keeps_a_trial(self, store: Store, other: Store) -> None:
        """A heartbeat prolongs the lease of all the owner's trials."""
        asked(store, far_owner(), lease=SHORT), asked(store, far_owner(), lease=SHORT)
        assert other.renew("s", far_owner(), LONG) == Renewal()
        time.sleep(2 * SHORT)
        assert store.claim("s", far_owner("idle"), LONG) is None

    def test_renewing_does_not_touch_the_trials_of_others(self, store: Store) -> None:
        """A trial that was given to another worker stays there."""
        asked(store, far_owner(), lease=SHORT)
        store.renew("s", far_owner("other"), LONG)
        time.sleep(2 * SHORT)
        assert store.claim("s", far_owner("idle"), SHORT) is not None
        store.renew("s", far_owner(), LONG)
        time.sleep(2 * SHORT)
        assert store.claim("s", far_owner("third"), LONG) is not None
