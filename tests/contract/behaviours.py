"""The manifest of behaviours: a name, a sentence, where the rule is from, and the scenario that shows it."""

from collections.abc import Callable

import msgspec

from tests.contract.talk import Talk

Scenario = Callable[[], Talk]


class Behaviour(msgspec.Struct, frozen=True):
    """`name` is <area>/<behaviour>, and the place of its transcript. `source` names the rule.

    `planted`: the scenario plants a fault inside, so its transcript can be read but not replayed.
    """

    name: str
    sentence: str
    source: str
    scenario: Scenario
    planted: bool = False


MANIFEST: dict[str, Behaviour] = {}


def behaviour(name: str, sentence: str, source: str, planted: bool = False) -> Callable[[Scenario], Scenario]:
    """Enters a scenario into the manifest. It asserts what the sentence says, and returns its conversation."""

    def enter(scenario: Scenario) -> Scenario:
        assert name not in MANIFEST, f"{name} is there twice"
        MANIFEST[name] = Behaviour(name, sentence, source, scenario, planted)
        return scenario

    return enter
