"""What a session says again is kept once."""

from ctxmgr.engine.ledger import fold, with_shared_words
from ctxmgr.model.saved import Fact, Ledger


def test_what_is_said_again_shares_its_words_with_the_ledger() -> None:
    def words() -> str:
        return "".join(["read ", "src/a.py"])

    held = fold(Ledger(), [Fact("file", words(), words(), "tool", 1, origin="a")])
    again, other = Fact("file", words(), words(), "tool", 2, origin="b"), Fact("file", words(), "else", "tool", 3)
    shared = with_shared_words(held, [again, other])
    (before,) = held.facts.values()
    assert shared == (again, other)
    assert shared[0].key is before.key
    assert shared[0].text is before.text
    assert shared[1] is other
