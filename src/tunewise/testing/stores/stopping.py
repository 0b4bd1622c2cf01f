"""How a store passes on that a trial should stop."""

import time

import pytest

from tunewise.errors import StudyError
from tunewise.history import (
    Cancelled,
    Failure,
    Preempted,
    TrialState,
)
from tunewise.study import Store
from tunewise.study.store import Renewal
from tunewise.testing.stores.parts import LONG, SHORT, added, asked, dead_owner, far_owner


class StoppingConformance:
    """Tests of how a trial is stopped from outside."""

    def test_whoever_runs_a_trial_hears_that_it_should_stop(
        self, store: Store, other: Store
    ) -> None:
        """With the next heartbeat, until the trial is told."""
        asked(store, far_owner()), asked(store, far_owner())
        assert other.request_stop("s", 1).state is TrialState.RUNNING
        assert store.renew("s", far_owner("other"), LONG) == Renewal()
        assert store.renew("s", far_owner(), LONG).stopping == {1}
        store.tell("s", 1, Cancelled("stopped by a person"))
        assert store.renew("s", far_owner(), LONG) == Renewal()

    @pytest.mark.parametrize("kind", ["waiting", "preempted", "lapsed", "dead"])
    def test_a_trial_that_nobody_runs_is_cancelled_at_once(self, store: Store, kind: str) -> None:
        """There is nobody to hear the request."""
        if kind == "waiting":
            added(store)
        else:
            asked(store, dead_owner() if kind == "dead" else far_owner(), lease=SHORT)
        if kind == "preempted":
            store.tell("s", 0, Preempted("spot"))
        if kind == "lapsed":
            time.sleep(2 * SHORT)
        stopped = store.request_stop("s", 0)
        assert stopped.state is TrialState.CANCELLED
        assert store.history("s")[0] == stopped
        assert store.claim("s", far_owner("idle"), LONG) is None

    def test_an_ended_trial_cannot_be_stopped(self, store: Store) -> None:
        """It says how it ended."""
        store.tell("s", added(store).number, Failure("out of memory"))
        with pytest.raises(StudyError, match=r"has ended already \(failed, out of memory\)"):
            store.request_stop("s", 0)

    def test_a_trial_that_should_stop_is_not_given_out_again(self, store: Store) -> None:
        """When its worker dies or is preempted before it heard, it is cancelled."""
        asked(store, far_owner(), lease=SHORT), asked(store, far_owner("b"), lease=LONG)
        store.request_stop("s", 0), store.request_stop("s", 1)
        time.sleep(2 * SHORT)
        assert store.claim("s", far_owner("idle"), LONG) is None
        told = store.tell("s", 1, Preempted("spot", {"cost": 0.5}), far_owner("b"))
        assert told.outcome == Cancelled("spot", {"cost": 0.5})
        assert {t.state for t in store.history("s")} == {TrialState.CANCELLED}
