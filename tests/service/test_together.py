"""What many want to know at the same moment is looked up once."""

import asyncio
import time
from typing import Any

import pytest

from tests.service.conftest import PROGRAM, House
from tunewise.errors import TaskError
from tunewise.service.together import Together
from tunewise.storage.accounts.keys import Bearer


def test_of_many_who_ask_at_the_same_moment_one_looks() -> None:
    looks: list[float] = []

    def look() -> int:
        looks.append(time.monotonic())
        time.sleep(0.05)
        return len(looks)

    async def ask() -> list[int]:
        together = Together()
        first = await asyncio.gather(*(together.of("a", look) for _ in range(20)))
        return [*first, await together.of("a", look)]

    assert asyncio.run(ask()) == [1] * 20 + [2]


def test_all_are_told_what_went_wrong_and_the_next_looks_again() -> None:
    def fail() -> int:
        time.sleep(0.02)
        raise TaskError("gone")

    async def ask() -> list[Any]:
        together = Together()
        asked = (together.of("a", fail) for _ in range(3))
        told = await asyncio.gather(*asked, return_exceptions=True)
        return [*told, await together.of("a", lambda: 7)]

    told = asyncio.run(ask())
    assert [str(each) for each in told[:3]] == ["gone"] * 3 and told[3] == 7


def test_who_goes_away_does_not_end_the_look_of_others() -> None:
    def look() -> int:
        time.sleep(0.05)
        return 7

    async def ask() -> int:
        together = Together()
        gone, stays = (asyncio.create_task(together.of("a", look)) for _ in "ab")
        await asyncio.sleep(0.01)
        gone.cancel()
        return await stays

    assert asyncio.run(ask()) == 7


def test_a_key_that_is_looked_up_while_rights_change_is_not_remembered(house: House) -> None:
    bearers, looks = house.context.bearers, list[str]()
    holder = Bearer("anna", "", "admin", None, 1)

    def look(hash: str) -> Bearer:
        looks.append(hash)
        if len(looks) == 1:
            bearers.forget()
        return holder

    async def ask() -> None:
        for _ in range(3):
            assert await bearers._found("key", look) is holder

    asyncio.run(ask())
    assert len(looks) == 2  # the first answer was forgotten, the second is remembered


def test_many_who_want_a_task_look_it_up_once(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.person("anna").post("/api/v1/tasks", json={"name": "t", "program": PROGRAM})
    opened, looks = house.context.opened, []
    load = type(opened).task

    def counted(self: Any, namespace: str, name: str) -> Any:
        looks.append(name)
        return load(self, namespace, name)

    monkeypatch.setattr(type(opened), "task", counted)

    async def ask() -> set[int]:
        return {id(each) for each in await asyncio.gather(*(opened.soon("", "t") for _ in "abcd"))}

    assert len(asyncio.run(ask())) == 1 and looks == ["t"]
