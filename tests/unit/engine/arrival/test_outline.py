"""What tells of a long text: lines that define things, by their form; lists, counted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxmgr.engine.arrival import MOST_COUNTED, OUTLINE_CHARACTERS, counts, outline

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
    "export interface Order {",
    "export type Total = number",
    "pub(crate) fn total<T>(order: &T) -> u64 {",
    "impl Total for Order {",
    "impl<T> Total for Order<T> {",
    "func (o *Order) Total() int {",
    "type Order struct {",
    "public static void main(String[] args) {",
    "static int total(struct order *order) {",
    "  total(order) {",
    "describe('orders', () => {",
    "   12\tdef total(order):",
    "12→def total(order):",
    "12|def total(order):",
]
DEFINES_NOTHING = [
    "    return total(order)",
    "if (order) {",
    "    } else if (total(order)) {",
    "for (const order of orders) {",
    "total = total(order)",
    "the class of 2020 is here",
    "type of the order",
    "class of orders that are",
    "ValueError: there is no def",
    "import total",
    "",
]


@pytest.mark.parametrize("line", DEFINES)
def test_a_line_that_defines_something_is_of_the_outline(line: str) -> None:
    text = f"some text\n{line}\nmore text\n"
    assert [text[start:end] for start, end in outline(text)] == [f"{line}\n"]


@pytest.mark.parametrize("line", DEFINES_NOTHING)
def test_another_line_is_not(line: str) -> None:
    assert outline(f"some text\n{line}\nmore text\n") == ()


def test_the_least_indented_tell_most() -> None:
    text = "class A:\n    def one(self):\nclass B:\n    def two(self):\n"
    told = [text[start:end].strip() for start, end in outline(text)]
    assert told == ["class A:", "class B:", "def one(self):", "def two(self):"]


def test_headings_count_where_nothing_is_defined() -> None:
    text = "# Orders\ntext\n## How they fail\n"
    assert [text[start:end] for start, end in outline(text)] == ["# Orders\n", "## How they fail\n"]
    assert len(outline(text + "def total(order):\n")) == 1


def test_of_a_long_line_the_beginning_is_told() -> None:
    text = f"class Order: {'x' * 1_000}\n"
    assert outline(text) == ((0, OUTLINE_CHARACTERS),)


def test_what_a_search_found_is_counted_by_file() -> None:
    text = "\n".join(
        f"src/{name}.py:{line}: total" for name, times in (("a", 3), ("b", 7)) for line in range(times)
    )
    assert counts(text)(0, len(text)) == "src/b.py 7, src/a.py 3"
    assert counts(text)(0, text.index("src/b")) == "src/a.py 3"


def test_paths_are_counted_by_directory() -> None:
    text = "\n".join([*(f"src/{name}.py" for name in "abc"), "tests/x.py", "README.md"])
    assert counts(text)(0, len(text)) == "src/ 3, ./ 1, tests/ 1"


def test_of_many_names_the_rest_is_summed() -> None:
    text = "\n".join(f"src/{number:02}/a.py" for number in range(MOST_COUNTED + 3))
    assert counts(text)(0, len(text)).endswith(", 3 in 3 others")


@pytest.mark.parametrize("text", ["", "a log\nof words\nsrc/a.py\n", "x" * 10_000, "10:30 it began\n" * 9])
def test_what_is_no_list_is_not_counted(text: str) -> None:
    assert counts(text)(0, len(text)) == ""


@given(st.text(alphabet="ab {}()\n\t#:/.0def→class =>", max_size=400))
def test_any_text_has_an_outline_of_whole_places(text: str) -> None:
    found = outline(text)
    assert all(0 <= start < end <= len(text) for start, end in found)
    assert all(start == 0 or text[start - 1] == "\n" for start, _ in found)
    assert "\n" not in "".join(text[start : end - 1] for start, end in found)
    assert counts(text)(0, len(text)).count("\n") == 0
