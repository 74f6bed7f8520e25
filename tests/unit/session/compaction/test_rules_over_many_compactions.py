"""What the user ruled stands in a summary without a model, however many compactions came since."""

import json
import random
from typing import get_args

import pytest

from ctxmgr.engine.extractive.fit import RULES_TOKENS
from ctxmgr.engine.extractive.summary import summary
from ctxmgr.model.compaction.plans import Format
from tests.contract.talk import Fields, Messages, Talk
from tests.notation import a, quarters, u
from tests.unit.engine.extractive.conversations import conversation

FORMATS: tuple[Format, ...] = get_args(Format)
COMPACTIONS = 20
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


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("words", [10, 170])
@pytest.mark.parametrize("seed", range(3))
def test_no_rule_goes(form: str, words: int, seed: int) -> None:
    rng, tree, rules = random.Random(seed), Tree(format=form), list[str]()
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


def long_rules(count: int) -> list[str]:
    return [
        f"Never touch table {at} of the books, {'and that is for good, ' * 14}as agreed." for at in range(count)
    ]


def chained(rules: list[str], form: Format, budget: int = 13_000) -> str:
    text = ""
    for at in range(0, len(rules), 4):
        said = [one for rule in rules[at : at + 4] for one in (u(f"Mend it. {rule}"), a("That is mended now."))]
        text = summary(conversation(*said), text or None, budget=budget, weigh=quarters, format=form)
    return text


def told_rules(text: str) -> list[str]:
    """The lines of rules, without bullet and label."""
    lines = (line.removeprefix("- ").removeprefix("Constraint: ") for line in text.split("\n"))
    return [line for line in lines if line.startswith('"Never touch table')]


@pytest.mark.parametrize("form", FORMATS)
def test_beyond_3_000_tokens_the_oldest_are_told_in_short_and_the_summary_says_how_many(form: Format) -> None:
    rules = long_rules(48)
    told = told_rules(text := chained(rules, form))
    whole = [rule for rule in rules if f'"{rule}"' in told]
    assert whole == rules[-len(whole) :]
    assert RULES_TOKENS - 100 < sum(quarters(f'"{rule}"') for rule in whole) <= RULES_TOKENS
    assert [at for at, one in enumerate(told) if f"Never touch table {at} of the books" not in one] == []
    assert len(told) == 48
    assert f"({48 - len(whole)} older rules in short)" in text


def test_where_not_even_that_fits_the_summary_says_how_many_are_left_out() -> None:
    rules = long_rules(48)
    text = chained(rules, "structured", budget=1_500)
    told = told_rules(text)
    assert "table 47 of" in told[-1]
    assert 0 < len(told) < 48
    assert f"{48 - len(told)} left out)" in text
    assert quarters(text) <= 1_500


def test_the_users_later_words_alone_close_one() -> None:
    rule = "Never touch the database."
    start = summary(conversation(u("Mend it all. " + rule), a("Done.")), None, budget=3_000, weigh=quarters)
    others = conversation(
        u("Go on with it please."), a("You may touch the database now. Forget about the database.")
    )
    assert rule in summary(others, start, budget=3_000, weigh=quarters)
    said = conversation(u("You may touch the database now."), a("Good, I touch it."))
    after = summary(said, start, budget=3_000, weigh=quarters)
    assert "Constraints & Preferences\n(none)" in after
