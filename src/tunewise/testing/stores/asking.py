"""How a store lets one owner ask at a time."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tunewise.errors import StudyError
from tunewise.study import Store, StudyRecord
from tunewise.testing.stores.parts import LONG, MEASURED, SHORT, added, asked, dead_owner, far_owner


class AskingConformance:
    """Tests of the right to add suggested trials."""

    def test_one_owner_asks_at_a_time(self, store: Store, other: Store) -> None:
        """The others wait, whichever handle they use."""
        inside, most = 0, 0
        lock = threading.Lock()

        def ask(number: int) -> None:
            nonlocal inside, most
            with (store, other)[number % 2].asking("s", far_owner(str(number))):
                with lock:
                    inside += 1
                    most = max(most, inside)
                time.sleep(0.01)
                with lock:
                    inside -= 1

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(ask, range(12)))
        assert most == 1

    def test_others_tell_and_enqueue_while_one_asks(self, store: Store, other: Store) -> None:
        """A strategy that thinks for long holds up nobody but askers."""
        trial = asked(store, far_owner("b"))
        with store.asking("s", far_owner("a")):
            other.tell("s", trial.number, MEASURED)
            other.claim("s", far_owner("c"), LONG)
            assert added(other).number == 1
            assert store.add("s", {"x": 3}, 1.0, (), far_owner("a"), LONG).number == 2

    def test_different_studies_are_asked_at_once(self, store: Store, other: Store) -> None:
        """The right belongs to one study."""
        store.create(StudyRecord("t", {}, {}, 0))
        with store.asking("s", far_owner("a")), other.asking("t", far_owner("a")):
            pass

    def test_the_right_to_ask_is_given_back_when_asking_fails(self, store: Store) -> None:
        """An error in a strategy holds up nobody."""
        with pytest.raises(ZeroDivisionError), store.asking("s", far_owner("a")):
            raise ZeroDivisionError
        with store.asking("s", far_owner("b")):
            pass

    def test_the_right_of_a_dead_asker_is_passed_on_at_once(self, store: Store) -> None:
        """Its lease need not end."""
        store.asking("s", dead_owner(), LONG).__enter__()
        began = time.monotonic()
        assert asked(store, far_owner()).number == 0
        assert time.monotonic() - began < LONG / 10

    def test_the_right_of_a_silent_asker_is_passed_on_and_its_trial_refused(
        self, store: Store, other: Store
    ) -> None:
        """A stale asker would add what was decided on an old history."""
        stale = store.asking("s", far_owner("stale"), SHORT)
        with pytest.raises(StudyError, match="does not hold the right to ask in study 's'"), stale:
            with other.asking("s", far_owner("next")):
                with pytest.raises(StudyError, match="ask again"):
                    store.add("s", {"x": 1}, 1.0, (), far_owner("stale"), LONG)
                assert other.add("s", {"x": 2}, 1.0, (), far_owner("next"), LONG).number == 0
            store.add("s", {"x": 3}, 1.0, (), far_owner("stale"), LONG)
        assert len(store.history("s")) == 1

    def test_a_stale_asker_does_not_give_back_the_right_of_the_next(self, store: Store) -> None:
        """Giving back is for one's own right."""
        stale = store.asking("s", far_owner("stale"), SHORT)
        stale.__enter__()
        with store.asking("s", far_owner("next")):
            stale.__exit__(None, None, None)
            assert store.add("s", {"x": 1}, 1.0, (), far_owner("next"), LONG).number == 0

    def test_renewing_keeps_the_right_to_ask(self, store: Store, other: Store) -> None:
        """A strategy may think for longer than the lease, while its worker gives signs of life."""
        with store.asking("s", far_owner("slow"), SHORT):
            other.renew("s", far_owner("slow"), LONG)
            waiting = threading.Thread(target=asked, args=(other, far_owner("next"), {"x": 2}))
            waiting.start()
            time.sleep(3 * SHORT)
            assert store.add("s", {"x": 1}, 1.0, (), far_owner("slow"), LONG).number == 0
        waiting.join()
        assert [trial.config["x"] for trial in store.history("s")] == [1, 2]

    def test_adding_without_the_right_to_ask_is_refused(self, store: Store) -> None:
        """Before it was taken, and after it was given back."""
        with pytest.raises(StudyError, match="does not hold the right to ask"):
            store.add("s", {"x": 1}, 1.0, (), far_owner(), LONG)
        asked(store, far_owner())
        with pytest.raises(StudyError, match="does not hold the right to ask"):
            store.add("s", {"x": 1}, 1.0, (), far_owner(), LONG)
        assert len(store.history("s")) == 1
