"""A text cut to so many tokens: its ends, its error lines, and one line that says its size."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.rewriting import text_of
from ctxmgr.engine.rewriting.cutting import (
    ERROR_LINE,
    PIECE_CHARACTERS,
    CutText,
    Ends,
    Gap,
    cut,
    error_words,
)
from tests.notation import quarters

WHEREVER = Ends()
ERROR = "ValueError: it is not so"


def line(left_out: int) -> str:
    return f"[cut: {left_out} left out]"


def short(text: str, tokens: int, ends: Ends = WHEREVER) -> CutText | None:
    return cut(text, quarters(text), tokens, quarters, Gap(lambda left, start, end: line(left)), ends)


def written(text: str, tokens: int, ends: Ends = WHEREVER) -> str:
    done = short(text, tokens, ends)
    assert done is not None
    return text_of(done.parts, text)


def log(count: int, *errors: int) -> str:
    return "\n".join(ERROR if number in errors else f"line {number} of the log" for number in range(count))


# lines of the log, errors in it, tokens, weight of the outcome, its lines: those of the log by number
EXACT: list[tuple[int, tuple[int, ...], int, int, list[int | str]]] = [
    (60, (), 60, 59, [*range(7), line(223), " of the log", *range(56, 60)]),
    (60, (30,), 80, 76, [*range(8), line(204), ERROR, "…", *range(54, 60)]),
    (200, (20, 50, 150), 150, 148, [*range(15), line(827), ERROR, ERROR, ERROR, "…", *range(189, 200)]),
    (200, (100, 101, 102, 103), 100, 95, [*range(8), line(878), ERROR, ERROR, ERROR, "…", *range(193, 200)]),
    (60, (0, 59), 60, 59, [ERROR, *range(1, 7), line(226), 56, 57, 58, ERROR]),
    (400, (), 40, 40, [*range(4), "line 4 of t", line(1_933), "397 of the log", 398, 399]),
]


@pytest.mark.parametrize(("count", "errors", "tokens", "weight", "expected"), EXACT)
def test_what_is_left_of_a_log(
    count: int, errors: tuple[int, ...], tokens: int, weight: int, expected: list[int | str]
) -> None:
    lines = [f"line {one} of the log" if isinstance(one, int) else one for one in expected]
    done = short(log(count, *errors), tokens)
    assert done is not None
    assert text_of(done.parts, log(count, *errors)).splitlines() == lines
    assert done.weight == weight


@pytest.mark.parametrize(
    ("text", "tokens", "ends", "parts"),
    [
        ("x" * 4_000, 200, WHEREVER, ((0, 462), f"\n{line(800)}\n", (3_693, 4_000))),
        ("x" * 1_000, 100, WHEREVER, ((0, 224), f"\n{line(150)}\n", (851, 1_000))),
        ("x" * 1_000, 100, Ends(300, 40), ((0, 300), f"\n{line(150)}\n", (960, 1_000))),
        ("x" * 1_000, 100, Ends(0, 300), (f"{line(150)}\n", (700, 1_000))),
        ("x" * 1_000, 0, WHEREVER, (f"{line(250)}\n",)),
    ],
)
def test_what_is_left_of_one_line(text: str, tokens: int, ends: Ends, parts: tuple[object, ...]) -> None:
    done = short(text, tokens, ends)
    assert done is not None
    assert done.parts == parts


LONG_LINES = f"{'x' * 150} failed {'y' * 300}\n{log(30)}\nand error: {'z' * 260} Exception"
LONG_ERRORS = f"{log(200)}\n{LONG_LINES}\n{log(200)}\nError at the end"
Places = list[tuple[int, int]]


@pytest.mark.parametrize(
    ("tokens", "weight", "places"),
    [
        (120, 118, [(0, 275), (8_921, 9_097)]),
        (200, 196, [(0, 465), (8_801, 9_097)]),
        (300, 296, [(0, 503), (3_941, 4_141), (8_641, 9_097)]),
    ],
)
def test_what_is_left_beside_long_error_lines(tokens: int, weight: int, places: Places) -> None:
    done = short(LONG_ERRORS, tokens)
    assert done is not None
    assert (done.weight, [part for part in done.parts if not isinstance(part, str)]) == (weight, places)


@pytest.mark.parametrize(
    ("tokens", "weight", "said", "places"),
    [
        (80, 79, "1394 126 5804", [(0, 126), (1_871, 1_890), (1_890, 1_915), (2_895, 2_915), (5_804, 5_894)]),
        (
            150,
            142,
            "1324 256 5735",
            [
                (0, 256),
                *((1_871, 1_890), (1_890, 1_915), (1_915, 1_935), (2_895, 2_915), (5_695, 5_715)),
                (5_735, 5_894),
            ],
        ),
        (
            250,
            244,
            "1224 465 5615",
            [
                *((0, 465), (1_871, 1_890), (1_890, 1_915), (1_915, 1_935), (2_295, 2_315), (2_495, 2_515)),
                *((2_695, 2_715), (2_895, 2_915), (3_895, 3_915), (5_615, 5_894)),
            ],
        ),
    ],
)
def test_what_is_left_with_an_outline(tokens: int, weight: int, said: str, places: Places) -> None:
    """Of lines of an outline those that tell most, beside the error at 1,890; a label before each from the gap."""
    text = log(300, 100)
    starts = (text.index(f"line {number} of") for number in (150, 99, 101, 5, 290, 200, 120, 130, 140))
    lines = [(start, text.index("\n", start) + 1) for start in starts]
    gap = Gap(lambda left, start, end: f"[{left} {start} {end}]", lines, lambda start: f"@{start} ")
    done = cut(text, quarters(text), tokens, quarters, gap)
    assert done is not None
    assert (done.weight, [part for part in done.parts if not isinstance(part, str)]) == (weight, places)
    written = [part for part in done.parts if isinstance(part, str)]
    assert written == [f"[{said}]\n", *(f"@{start} " for start, _ in places[1:-1]), "…\n"]


def test_what_would_not_be_lighter_is_not_cut() -> None:
    assert short("a few words", 2) is None
    assert short(log(200), 10_000) is None


@pytest.mark.parametrize("tokens", [0, 1, 5, 20])
def test_with_no_room_the_line_alone_stays(tokens: int) -> None:
    assert line(quarters(log(400)) - tokens) in written(log(400), tokens)


words = st.sampled_from(
    [
        "a",
        "word ",
        "\n",
        "İ",
        "error: x\n",
        "no ERRORs",
        "failed",
        "Not found",
        "Traceback\n",
        "é",
        "漢字",
        "\n\n",
        "0123456789" * 30,
        "…\n",
    ]
)
texts = st.tuples(st.lists(words, min_size=1, max_size=40), st.integers(1, 200)).map(
    lambda drawn: "".join(drawn[0]) * drawn[1]
)


@given(texts)
def test_error_words_are_those_of_the_pattern(text: str) -> None:
    assert list(error_words(text)) == [found.span() for found in ERROR_LINE.finditer(text)]


@pytest.mark.parametrize("before", range(12))
@pytest.mark.parametrize("first", ["x", "İ", "é"])  # the second is longer in small letters
def test_error_words_at_the_end_of_a_piece_are_found_once(before: int, first: str) -> None:
    text = first * (PIECE_CHARACTERS - 1 - before) + " " + "Exceptions\n" * 2 + "FATAL"
    assert list(error_words(text)) == [found.span() for found in ERROR_LINE.finditer(text)]


@given(texts, st.integers(0, 5_000), st.integers(0, 2_000), st.integers(0, 2_000))
def test_of_any_text_the_cut_is_light_enough_and_made_of_its_parts(
    text: str, tokens: int, start: int, end: int
) -> None:
    ends = Ends(min(start, len(text)), min(end, len(text)))
    done = short(text, tokens, ends)
    if done is None:
        return
    out = text_of(done.parts, text)
    assert done.weight == quarters(out) < quarters(text)
    assert out.startswith(text[: ends.start_chars])
    assert out.endswith(text[len(text) - ends.end_chars :])
    ranges = [part for part in done.parts if not isinstance(part, str)]
    assert all(first[1] <= second[0] for first, second in pairwise(ranges))
    needed = ends.start_chars + ends.end_chars + len(line(quarters(text))) + 9
    assert done.weight <= tokens or 4 * tokens < needed
    assert done == short(text, tokens, ends)
