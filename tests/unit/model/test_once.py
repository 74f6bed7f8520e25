"""What is worked out of a message once: where it is kept, and that nobody sees it there."""

from ctxmgr.model import Message, View, once

asked: list[tuple[str, int]] = []


class Told(set[str]):
    """A set that can be followed."""


@once
def told(message: Message, times: int = 1) -> Told:
    """As often as that."""
    asked.append((message.digest, times))
    return Told([message.digest * times])


def test_a_function_is_asked_once_of_each_and_of_each_argument() -> None:
    asked.clear()
    one, other = (Message(b"", digest, View("user"), (), 0) for digest in "ab")
    assert told(one) is told(one)
    assert (told(one, 2), told(one, 2), told(other)) == ({"aa"}, {"aa"}, {"b"})
    assert asked == [("a", 1), ("a", 2), ("b", 1)]
    assert (told.__name__, told.__doc__) == ("told", "As often as that.")
