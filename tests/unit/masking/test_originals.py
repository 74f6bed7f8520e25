"""An original that was masked when it was archived comes back so, says it, and is paged as the original was."""

from unittest import mock

from tests.contract.talk import Messages, Talk
from tests.unit.session import recovery
from tests.unit.session.methods.archived import context
from tests.unit.session.recovery import RETRIEVE, after_an_epoch, leaving, row

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


def test_a_receipt_is_for_people_and_the_marker_for_the_model() -> None:
    """`explain` shows the call without its secret; the list that goes out has it as it was."""
    make = Messages()
    messages = [*make.turn("Go.", "a line\n" * 900, path=f"/tmp/{TOKEN}"), *make.turn("Go on.")]
    with mock.patch.object(recovery, "CALL", f'read path="/tmp/{TOKEN}"'):
        talk = Talk(found=after_an_epoch(messages, [2]))
    sent = str(talk.context([*messages, make.user("More.")]))
    told = str(talk.call("explain", sessionId="s")["epochs"])
    assert f"/tmp/{TOKEN}" in sent
    assert "/tmp/[masked]" in told
    assert TOKEN not in told
