"""The prompts: what is shown, what is asked for, in which order."""

from ctxmgr.summarize.formats import BRANCH, FREE, TURN, Shape
from ctxmgr.summarize.prompts import PromptParts, merge_prompt, on_context_prompt, prompt
from tests.unit.summarize.scripted import SHAPES

ALL = PromptParts("talk", "gone", "lead", "## Goal\nold", "turn", "notes", ("one", "two"))


def test_a_prompt_shows_then_asks_then_says_how() -> None:
    for shape in SHAPES:
        text = prompt("history", shape, ALL, "mind the tests", most=1_000)
        order = [
            "<previous-summary>\n## Goal\nold\n</previous-summary>",
            "<earlier-part>\nturn\n</earlier-part>",
            "<earlier-notes>\nnotes\n</earlier-notes>",
            '<earlier-slices number="1">\none\n</earlier-slices>',
            '<earlier-slices number="2">\ntwo\n</earlier-slices>',
            "<left-out>\ngone\n</left-out>",
            "<before>\nlead\n</before>",
            "<conversation>\ntalk\n</conversation>",
            "Summarise the conversation above",
            "about 750 words",
            shape.outline.strip(),
            "mind the tests",
        ]
        places = [text.index(one) for one in order]
        assert places == sorted(places), shape
        assert text.endswith("mind the tests"), shape


def test_every_prompt_asks_for_the_users_language() -> None:
    for shape in (*SHAPES, TURN, BRANCH, FREE, Shape("own", "", task="Name the files.")):
        texts = {
            "one": prompt("history", shape, ALL),
            "merge": merge_prompt("history", shape, ("one", "two"), PromptParts("")),
            "on the host's list": on_context_prompt(shape),
        }
        for name, text in texts.items():
            assert text.count("in the language of the user's last messages") == 1, (shape, name)
