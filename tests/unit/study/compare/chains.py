"""Sessions that are compacted several times."""

from tests.notation import Said, a, call, r, u


def turn(number: int, size: int = 1_200) -> list[Said]:
    return [
        u(f"Please mend part {number} in src/part{number}.py, and never touch the lexer{number}Table."),
        a("I look at it first.", call("read", path=f"src/part{number}.py")),
        r(f"a line of part {number}\n" * (size // 20)),
        a(f"Part {number} is mended: resetCursor{number} used a wrong index."),
    ]


def turns(count: int, start: int = 1) -> list[Said]:
    return [message for number in range(start, start + count) for message in turn(number)]
