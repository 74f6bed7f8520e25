"""A text cut to so many tokens: its ends, its error lines, and one line that says its size."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.rewriting import text_of
from ctxmgr.engine.rewriting.cutting import ERROR_LINE, CutText, Ends, Gap, cut, error_words
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
    (60, (30,), 80, 76, [*range(8), line(204), ERROR, "…", *range(54, 60)]),
    (200, (20, 50, 150), 150, 148, [*range(15), line(827), ERROR, ERROR, ERROR, "…", *range(189, 200)]),
    (200, (100, 101, 102, 103), 100, 95, [*range(8), line(878), ERROR, ERROR, ERROR, "…", *range(193, 200)]),
]


def test_what_is_left_of_a_log() -> None:
    for count, errors, tokens, weight, expected in EXACT:
        lines = [f"line {one} of the log" if isinstance(one, int) else one for one in expected]
        done = short(log(count, *errors), tokens)
        assert done is not None, count
        assert text_of(done.parts, log(count, *errors)).splitlines() == lines, count
        assert done.weight == weight, count


LONG_LINES = f"{'x' * 150} failed {'y' * 300}\n{log(30)}\nand error: {'z' * 260} Exception"
LONG_ERRORS = f"{log(200)}\n{LONG_LINES}\n{log(200)}\nError at the end"


def test_what_is_left_beside_long_error_lines() -> None:
    for tokens, weight, places in (
        (120, 118, [(0, 275), (8_921, 9_097)]),
        (300, 296, [(0, 503), (3_941, 4_141), (8_641, 9_097)]),
    ):
        done = short(LONG_ERRORS, tokens)
        assert done is not None, tokens
        assert (done.weight, [part for part in done.parts if not isinstance(part, str)]) == (weight, places), tokens


def test_what_is_left_with_an_outline() -> None:
    for tokens, weight, said, places in (
        (80, 79, "1394 126 5804", [(0, 126), (1_871, 1_890), (1_890, 1_915), (2_895, 2_915), (5_804, 5_894)]),
        (
            250,
            244,
            "1224 465 5615",
            [
                *((0, 465), (1_871, 1_890), (1_890, 1_915), (1_915, 1_935), (2_295, 2_315), (2_495, 2_515)),
                *((2_695, 2_715), (2_895, 2_915), (3_895, 3_915), (5_615, 5_894)),
            ],
        ),
    ):
        text = log(300, 100)
        starts = (text.index(f"line {number} of") for number in (150, 99, 101, 5, 290, 200, 120, 130, 140))
        lines = [(start, text.index("\n", start) + 1) for start in starts]
        gap = Gap(lambda left, start, end: f"[{left} {start} {end}]", lines, lambda start: f"@{start} ")
        done = cut(text, quarters(text), tokens, quarters, gap)
        assert done is not None, said
        assert (done.weight, [part for part in done.parts if not isinstance(part, str)]) == (weight, places), said
        written = [part for part in done.parts if isinstance(part, str)]
        assert written == [f"[{said}]\n", *(f"@{start} " for start, _ in places[1:-1]), "…\n"], said


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
