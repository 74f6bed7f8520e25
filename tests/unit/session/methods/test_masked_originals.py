"""An original that was masked when it was archived comes back so, says it, and is paged as the original was."""

from tests.contract.talk import Messages, Talk
from tests.unit.session.methods.archived import context
from tests.unit.session.recovery import RETRIEVE, leaving, row

TOKEN = "ghp_" + "aB3" * 12
TEXT = f"first line\nexport GITHUB={TOKEN}\nlast line"


def talking(keeps: bool) -> Talk:
    talk = Talk({"archive": {"keepSecrets": keeps}}, capabilities=RETRIEVE, version="1.1")
    with leaving(row("a", TEXT)):
        context(talk, Messages())
    return talk


def test_what_was_masked_says_so() -> None:
    page = talking(False).call("retrieve", sessionId="s", handle=row("a").handle)
    assert page["text"] == TEXT.replace(TOKEN, "[masked]")
    assert (page["masked"], page["total"], page["next"]) == (True, len(TEXT), None)


def test_offsets_are_those_of_the_original_and_a_page_without_a_secret_is_not_masked() -> None:
    page = talking(False).call("retrieve", sessionId="s", handle=row("a").handle, offset=TEXT.index("last"))
    assert (page["text"], page["masked"]) == ("last line", False)


def test_with_keep_secrets_it_is_the_original() -> None:
    page = talking(True).call("retrieve", sessionId="s", handle=row("a").handle)
    assert (page["text"], page["masked"]) == (TEXT, False)
