"""What came after a version is left out of what a host that speaks it is sent."""

from typing import Any

import msgspec
import pytest

from ctxmgr.model.api import since


class Inner(msgspec.Struct, frozen=True, rename="camel", omit_defaults=False):
    old_one: int = 1
    new_one: int = 2


class Outer(msgspec.Struct, frozen=True, rename="camel"):
    inner: Inner
    listed: tuple[Inner, ...] = ()
    named: dict[str, Inner] = {}
    anything: Any = None
    raw: msgspec.Raw = msgspec.Raw(b"[1]")
    newer: int = 3


@pytest.fixture(autouse=True)
def rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(since, "SINCE", {"Inner.newOne": "1.1", "Outer.newer": "1.10"})
    monkeypatch.setattr(since, "PROTOCOL_VERSION", "1.10")


def encoded(value: Any, version: str) -> Any:
    return msgspec.json.decode(msgspec.json.encode(since.as_of(value, version)))


OLD, WHOLE = {"oldOne": 1}, {"oldOne": 1, "newOne": 2}
VALUE = Outer(Inner(), (Inner(),), {"a": Inner()}, [Inner()])


def test_an_older_host_is_sent_what_it_knows_at_every_depth() -> None:
    for version, inner, more in [("1.0", OLD, {}), ("1.1", WHOLE, {}), ("1.9", WHOLE, {})]:
        found = {"inner": inner, "listed": [inner], "named": {"a": inner}, "anything": [inner], "raw": [1], **more}
        assert encoded(VALUE, version) == found, version


def test_a_host_of_today_is_sent_the_value_itself() -> None:
    assert since.as_of(VALUE, "1.10") is VALUE


def test_the_older_of_both_versions_is_spoken() -> None:
    for host, spoken in [
        ("1.0", "1.0"),
        ("1.x", "1.0"),
        ("1.10", "1.10"),
        ("2.0", None),
    ]:
        assert since.agreed(host) == spoken, host
