"""What a user is told: what runs next and why, why they wait, and what they can still expect."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Pick:
    """One model of one user, to be trained now.

    Attributes:
        user: Whose model.
        model: Which one.
        fraction: On how much of the user's data; below 1 it is an early look.
        why: One sentence for the user.
        seconds: How long it is expected to take on a device of speed 1.
        device: Where it runs; None where the scheduler was told of no devices.
        number: Counts the picks of a scheduler from 0.
    """

    user: str
    model: str
    fraction: float
    why: str
    seconds: float = float("nan")
    device: str | None = None
    number: int = -1


@dataclass(frozen=True)
class Outlook:
    """Where a user stands.

    Attributes:
        best: The best score so far, on the user's own scale; None before the first model.
        model: What would be trained next for the user; None where nothing is open.
        fraction: On how much of the data.
        expected: The best score to expect once that model is trained.
        seconds: How long that takes once it starts.
        reach: The best score to expect once every open model is trained.
        ahead: How many users come first as things stand.
        longest_wait: The user is served within this many picks, whatever happens.
        why: One sentence: why they are next, or why they wait.
    """

    best: float | None
    model: str | None
    fraction: float | None
    expected: float
    seconds: float
    reach: float
    ahead: int
    longest_wait: int
    why: str
