"""What tells of a long text: lines that define things, by their form; lists, counted."""

from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.arrival import counts, outline

DEFINES = [
    "def total(order):",
    "    async def total(self) -> int:",
    "class Order(Base):",
    "class Order:",
    "module Orders",
    "export default class Order extends Base {",
    "export async function total(order: Order): Promise<number> {",
    "export const total = async (order) => {",
    "const total = function (order) {",
]
DEFINES_NOTHING = [
    "    return total(order)",
    "if (order) {",
    "    } else if (total(order)) {",
    "for (const order of orders) {",
]


def test_a_line_that_defines_something_is_of_the_outline() -> None:
    for line in DEFINES:
        text = f"some text\n{line}\nmore text\n"
        assert [text[start:end] for start, end in outline(text)] == [f"{line}\n"], line


def test_another_line_is_not() -> None:
    for line in DEFINES_NOTHING:
        assert outline(f"some text\n{line}\nmore text\n") == (), line


def test_the_least_indented_tell_most() -> None:
    text = "class A:\n    def one(self):\nclass B:\n    def two(self):\n"
    told = [text[start:end].strip() for start, end in outline(text)]
    assert told == ["class A:", "class B:", "def one(self):", "def two(self):"]


def test_what_a_search_found_is_counted_by_file() -> None:
    text = "\n".join(
        f"src/{name}.py:{line}: total" for name, times in (("a", 3), ("b", 7)) for line in range(times)
    )
    assert counts(text)(0, len(text)) == "src/b.py 7, src/a.py 3"
    assert counts(text)(0, text.index("src/b")) == "src/a.py 3"


def test_paths_are_counted_by_directory() -> None:
    text = "\n".join([*(f"src/{name}.py" for name in "abc"), "tests/x.py", "README.md"])
    assert counts(text)(0, len(text)) == "src/ 3, ./ 1, tests/ 1"


def test_what_is_no_list_is_not_counted() -> None:
    for text in (
        "a log\nof words\nsrc/a.py\n",
        "x" * 10_000,
    ):
        assert counts(text)(0, len(text)) == "", text


@given(st.text(alphabet="ab {}()\n\t#:/.0def→class =>", max_size=400))
def test_any_text_has_an_outline_of_whole_places(text: str) -> None:
    found = outline(text)
    assert all(0 <= start < end <= len(text) for start, end in found)
    assert all(start == 0 or text[start - 1] == "\n" for start, _ in found)
    assert "\n" not in "".join(text[start : end - 1] for start, end in found)
    assert counts(text)(0, len(text)).count("\n") == 0
