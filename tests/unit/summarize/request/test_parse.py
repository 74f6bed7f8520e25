"""What is made of a model's answer: the text of a summary, or the reason why it is none."""

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.memory.facts import Stamp
from ctxmgr.engine.memory.from_summary import from_summary
from ctxmgr.engine.memory.markdown import sections_of
from ctxmgr.model.compaction import Completion, CompletionRequest, Stop
from ctxmgr.summarize.formats import CONTINUE, NINE, STRUCTURED, TURN, Shape
from ctxmgr.summarize.outline import first_section, outline_sections, section_kinds
from ctxmgr.summarize.parse import LEAST_TOKENS, AcceptedAnswer, CompletionFailure, Reason, text_of, verdict
from tests.notation import quarters
from tests.unit.summarize.scripted import SHAPES, filled

ASK = CompletionRequest("history", "system", "prompt", 2_000)
GOOD = filled(STRUCTURED).strip()
NINE_GOOD = filled(NINE)
NINE_BODY = NINE_GOOD.partition("<summary>\n")[2].partition("</summary>")[0].strip()
THOUGHT = NINE_BODY.replace("about", "thought")
CONTINUE_BODY = filled(CONTINUE).partition("</short>\n")[2].strip()


def judged(
    text: str, shape: Shape = STRUCTURED, stop: Stop = "stop", most: int = 5_000
) -> AcceptedAnswer | CompletionFailure:
    return verdict(Completion(text, stop), ASK, shape, most=most, weigh=quarters)


def body(text: str, shape: Shape = STRUCTURED) -> str:
    read = text_of(text, shape)
    assert isinstance(read, AcceptedAnswer), read
    return read.text


REFUSED: list[tuple[str, str, Stop, Shape, Reason]] = [
    ("an error", GOOD, "error", STRUCTURED, "failed"),
    ("cut off, though it looks whole", GOOD, "length", STRUCTURED, "truncated"),
    ("a tool call", GOOD, "toolUse", STRUCTURED, "called a tool"),
    ("nothing", "", "stop", STRUCTURED, "empty"),
    ("the outline unfilled", STRUCTURED.outline, "stop", STRUCTURED, "empty"),
    ("headings alone", "## Goal\n## Progress\n### Done\n## Next Steps\n", "stop", STRUCTURED, "empty"),
    ("prose", "I have read it all and it is fine.", "stop", STRUCTURED, "no sections"),
    ("the analysis alone", "<analysis>\nwalked through\n</analysis>", "stop", NINE, "no sections"),
    ("an analysis without an end", NINE_GOOD.partition("</analysis>")[0] + NINE_BODY, "stop", NINE, "no sections"),
    ("far too long", GOOD + "\n- more" * 4_000, "stop", STRUCTURED, "too long"),
]


def test_refused() -> None:
    for text, stop, shape, reason in [row[1:] for row in REFUSED]:
        read = judged(text, shape, stop, most=100_000)
        assert isinstance(read, CompletionFailure), text
        assert read.reason == reason, text


def test_of_prose_the_sections_that_were_asked_for_are_named_and_the_prose_is_kept() -> None:
    assert judged("All is well.") == CompletionFailure("no sections", "Goal, Progress, Next Steps", "All is well.")


def test_a_summary_longer_than_what_it_replaces_is_refused() -> None:
    long = GOOD + "\n- " + "word " * 500 + "end"
    assert quarters(long) > LEAST_TOKENS
    assert isinstance(judged(long, most=quarters(long)), AcceptedAnswer)
    weight = quarters(long)
    assert judged(long, most=weight - 1) == CompletionFailure("too long", f"{weight} tokens for {weight - 1}")
    assert isinstance(judged(GOOD, most=1), AcceptedAnswer)  # an outline hardly filled in


# name, what a model answers; all stand for GOOD
AROUND: list[tuple[str, str]] = [
    ("as it is", GOOD),
    ("a title before", f"# Summary of the session\n\n{GOOD}"),
    ("a fence", f"```markdown\n{GOOD}\n```"),
    ("a fence with words around", f"Here it is:\n\n```\n{GOOD}\n```\n\nTell me if you need more."),
    ("tags", f"<summary>\n{GOOD}\n</summary>"),
    ("tags and words", f"Well.\n<summary>\n{GOOD}\n</summary>\nThat is all."),
    ("a tag not closed", f"<summary>\n{GOOD}"),
    ("an analysis nobody asked for", f"<analysis>\n## Goal\nhm\n</analysis>\n\n{GOOD}"),
    ("twice", f"{GOOD}\n\n{GOOD}"),
    ("file lists", f"{GOOD}\n\n<read-files>\na.py\n</read-files>\n\n<modified-files>\nb.py\n</modified-files>"),
]  # fmt: skip


def test_what_stands_around_a_summary_goes() -> None:
    for text in [row[1] for row in AROUND]:
        assert sections_of(body(text)) == sections_of(GOOD), text
        assert body(text).startswith("## Goal")
        assert "summary>" not in body(text), text
        assert "files>" not in body(text), text


NINES: list[tuple[str, str]] = [
    ("as asked", NINE_GOOD),
    ("in a fence", f"```xml\n{NINE_GOOD}\n```"),
    ("no tags of the summary", NINE_GOOD.replace("</summary>", "").replace("<summary>", "")),
    ("an analysis not closed", NINE_GOOD.replace("</analysis>", "")),
    ("no analysis", f"<summary>\n{NINE_BODY}\n</summary>"),
    ("an analysis with the nine headings", NINE_GOOD.replace("</analysis>", f"{THOUGHT}\n</analysis>")),
    ("in bold", "\n".join(f"**{line}**" if line[:1].isdigit() else line for line in NINE_BODY.splitlines())),
    ("no colons", "\n".join(line.removesuffix(":") for line in NINE_BODY.splitlines())),
]  # fmt: skip


def test_nine_sections() -> None:
    for text in [row[1] for row in NINES]:
        read = body(text, NINE)
        assert [(one.kind, one.items) for one in sections_of(read)] == [
            (one.kind, one.items) for one in sections_of(NINE_BODY)
        ]
        assert len(outline_sections(read, NINE)) == 10, text
        assert "nalysis" not in read, text


def test_the_two_parts_of_continue() -> None:
    read = text_of(
        f"<short>\nIt mends the parser. It is half done. And more.\n</short>\n\n{CONTINUE_BODY}", CONTINUE
    )
    assert read == AcceptedAnswer(CONTINUE_BODY, "It mends the parser. It is half done.")
    without = text_of(CONTINUE_BODY, CONTINUE)
    assert isinstance(without, AcceptedAnswer)
    assert without.text == CONTINUE_BODY
    assert without.short == "about the parser"


def test_a_filled_answer_is_accepted_and_the_ledger_reads_all_of_it() -> None:
    outlined = {"goal", "constraint", "task", "decision"}
    wanted = {NINE: {"goal", "request", "task", "current", "context"}, TURN: {"goal", "task", "context"}}
    for shape in SHAPES:
        read = body(filled(shape, "the parser"), shape)
        assert {key for need in shape.needs for key in need.kinds} & section_kinds(read, shape), shape
        facts = from_summary(read, kind="compaction", stamp=Stamp("o", 1))
        assert wanted.get(shape, outlined) <= {fact.kind for fact in facts}, shape


@given(
    st.text(max_size=300) | st.sampled_from([GOOD, NINE_GOOD, CONTINUE_BODY]), st.sampled_from(SHAPES), st.data()
)
def test_reading_never_fails_and_what_it_accepts_holds_its_sections(
    text: str, shape: Shape, data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(text)))
    read = judged(
        text[:cut] + data.draw(st.sampled_from(["", "\n```", "\n<summary>\n", "\n## Goal\n"])) + text[cut:], shape
    )
    if isinstance(read, AcceptedAnswer):
        assert read.text.strip() == read.text
        assert section_kinds(read.text, shape)
        assert first_section(read.text, shape) == 0
        again = text_of(read.text, shape)
        assert isinstance(again, AcceptedAnswer)
        assert again.text == read.text
