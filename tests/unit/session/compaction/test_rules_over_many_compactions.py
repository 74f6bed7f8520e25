"""What the user ruled stands in a summary without a model, however many compactions came since."""

import json
import random
from typing import get_args

import pytest

from ctxmgr.model.compaction.plans import Format
from tests.contract.talk import Fields, Messages, Talk

FORMATS: tuple[Format, ...] = get_args(Format)
COMPACTIONS = 10
RULES = (
    "Never {verb} {thing} of {part}.",
    "Do not {verb} {thing} in {part}.",
    "Always run the checks of {part} before you {verb} {thing}.",
    "You must keep {thing} of {part} as they are.",
    "Only use the helpers of {part} to {verb} {thing}.",
)
VERBS = ("touch", "rename", "delete", "reformat", "move", "rewrite")
THINGS = ("the schema", "the lock file", "the public names", "the CSV files", "the old tests")
WORDS = (
    "so we looked at this last week and the numbers were strange in a way nobody could explain and then somebody "
    "found a note about the second run which had other settings than the first one"
)
FILLING = WORDS.split()


def request(rng: random.Random, part: str, words: int) -> tuple[str, str]:
    """What a user says in about so many words, and the rule in it."""
    rule = rng.choice(RULES).format(verb=rng.choice(VERBS), thing=rng.choice(THINGS), part=part)
    said = [" ".join(rng.choices(FILLING, k=12)).capitalize() + "." for _ in range(words // 12)]
    said.insert(rng.randrange(len(said) + 1), rule)
    return " ".join((f"Mend {part}.", *said)), rule


class Tree:
    """A session's entries."""

    def __init__(self, **policy: object) -> None:
        self.make, self.entries = Messages(), [dict[str, object]()][:0]
        compaction = {"by": "ctxmgr", "keepRecentTokens": 4_000, **policy}
        self.talk = Talk({"preset": "balanced", "compaction": compaction})

    def add(self, **entry: object) -> None:
        before = self.entries[-1]["id"] if self.entries else None
        self.entries.append({"id": f"e{len(self.entries)}", "parentId": before, **entry})

    def say(self, message: Fields) -> None:
        self.add(type="message", message=message)

    def compacted(self) -> str:
        """What the model has in view after a compaction."""
        found: Fields = self.talk.call("compact", sessionId="s", entries=self.entries)["compaction"]
        first = next(at for at, one in enumerate(self.entries) if one["id"] == found["firstKeptEntryId"])
        kept = json.dumps(self.entries[first:])
        self.add(type="compaction", **found)
        return f"{found['summary']}\n{kept}"


@pytest.mark.parametrize(
    ("form", "words"),
    [(form, words) for form in FORMATS for words in (10, 50) if (form, words) != ("handoff", 50)],  # 2,000 tokens
)
def test_no_rule_goes(form: str, words: int) -> None:
    rng, tree, rules = random.Random(0), Tree(format=form), list[str]()
    for _ in range(COMPACTIONS):
        for _ in range(rng.randrange(2, 4)):
            part = f"part{len(rules)}"
            text, rule = request(rng, part, words)
            rules.append(rule)
            tree.say(tree.make.user(text))
            for step in range(rng.randrange(1, 4)):
                tree.say(tree.make.reply("I look.", tree.make.call("read", path=f"src/{part}{step}.py")))
                tree.say(tree.make.result(f"line of {part} here\n" * rng.randrange(700, 900)))
            tree.say(tree.make.reply(f"{part} is mended now, the cause was a wrong index."))
        view = tree.compacted()
        assert [rule for rule in rules if rule not in view] == []
