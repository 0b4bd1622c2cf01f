"""Every rule that ships passes the suite that third parties get, also without costs."""

import pytest

from tunewise.tenancy import RULES, RuleSpec
from tunewise.testing import SchedulerConformance

FORMS = [RuleSpec(name) for name in RULES.names()]
FORMS += [RuleSpec(name, {"cost_aware": False}) for name in RULES.names()]
FORMS += [RuleSpec("greedy", {"model": model}) for model in ("ei", "pi", "order")]


@pytest.fixture(autouse=True, params=FORMS, ids=str)
def rule(request: pytest.FixtureRequest) -> None:
    request.cls.rule = request.param


class TestRules(SchedulerConformance):
    pass
