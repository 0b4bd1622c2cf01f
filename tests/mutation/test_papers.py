from pathlib import Path

import pytest

from tests.mutation.papers import LOSSES, TESTS, Loss

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.what)
def test_what_defines_a_system_stands_where_its_loss_is_tried(loss: Loss) -> None:
    assert loss.text in (ROOT / "src/tunewise" / loss.file).read_text()
    assert f"def {loss.noticed_by}(" in (ROOT / TESTS).read_text()
