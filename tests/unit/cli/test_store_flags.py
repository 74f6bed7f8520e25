"""The flags about a store, of every command that has them: what is taken, and of what is not, whose fault it is."""

import sys
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.cli import main
from ctxmgr.devices.snapshots import SnapshotStore
from ctxmgr.extras import needs

SECRET = "the-owl-flies-at-nine"


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What `serve` was set up with."""
    setups: list[Any] = []

    def serve_nobody(setup: Any) -> int:
        setups.append(setup)
        return 0

    monkeypatch.setattr("ctxmgr.server.serve", serve_nobody)
    return setups


@pytest.mark.parametrize(
    ("arguments", "store"),
    [
        ([], (None, None, None)),
        (["--store", "file:///x", "--store-delay-ms", "0"], ("file:///x", 0, None)),
        (["--store-delay-ms", "20000", "--store", "s3://b/x"], ("s3://b/x", 20_000, None)),
        (["--store=file:///x", "--store-lease-ms=600000"], ("file:///x", None, 600_000)),
    ],
)
def test_what_is_named_is_what_serves(arguments: list[str], store: tuple[Any, ...], served: list[Any]) -> None:
    assert main(["serve", *arguments]) == 0
    (setup,) = served
    assert (setup.store, setup.store_delay_ms, setup.store_lease_ms) == store


def test_a_number_that_is_none_is_refused_in_one_line(
    served: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, said in [
        (["--store", "file:///x", "--store-delay-ms", "-1"], "--store-delay-ms must be at least 0"),
        (["--store", "file:///x", "--store-lease-ms", "99"], "--store-lease-ms must be from 100 to 600000"),
        (["--store", "file:///x", "--store-lease-ms", "600001"], "--store-lease-ms must be from 100 to 600000"),
        (
            ["--store-delay-ms", "5"],
            "--store-delay-ms and --store-lease-ms are of a store, and no --store is named",
        ),
        (
            ["--store-lease-ms", "500"],
            "--store-delay-ms and --store-lease-ms are of a store, and no --store is named",
        ),
    ]:
        assert main(["serve", *arguments]) == 2, arguments
        assert capsys.readouterr().err == f"ctxmgr serve: {said}\n", arguments
        assert served == [], arguments


ADDRESSES = [
    ("", "a store's address begins with file://, "),
    ("/srv/sessions", "a store's address begins with file://, "),
    ("file:///", "a folder's address is file:///and/its/path"),
    ("file://elsewhere/x", "a folder's address is file:///and/its/path"),
    ("s3:///folder", "the address names no bucket: s3://bucket/folder"),
    (f"s3://key:{SECRET}@bucket/x", "holds no credentials: they come from the environment"),
    (f"s3://bucket/x?secret={SECRET}", "holds no credentials: they come from the environment"),
    (f"file:///x#{SECRET}", "holds no credentials: they come from the environment"),
    (f"s3://[{SECRET}/x", "is no address"),
]
COMMANDS = (["serve", "--store"], ["sessions", "list", "--store"], ["forget", "s", "--store"])


def test_a_wrong_address_is_2_and_one_line_that_tells_what_one_is_and_not_what_was_given(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for command in COMMANDS:
        for address, said in ADDRESSES:
            state = [] if command[0] == "sessions" else ["--state-dir", str(tmp_path)]
            assert main([*command, address, *state]) == 2, address
            told = capfd.readouterr().err
            assert said in told, address
            assert told.startswith("ctxmgr"), address
            assert (told.count("\n"), SECRET in told) == (1, False), address


def test_a_wrong_address_deletes_nothing_here(tmp_path: Path) -> None:
    opened = SnapshotStore(tmp_path).open("s")
    opened.file.append(b'{"kind":"base","version":1,"sessionId":"s","state":{"seq":0}}')
    opened.file.close()
    there = {path.name for path in tmp_path.iterdir()}
    assert main(["forget", "s", "--store", "nowhere", "--state-dir", str(tmp_path)]) == 2
    assert {path.name for path in tmp_path.iterdir()} == there


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_without_the_extra_it_says_what_to_install(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "ctxmgr.store.objects.obstore_objects", raising=False)
    for name in ("obstore", "obstore.exceptions", "obstore.store"):
        monkeypatch.setitem(sys.modules, name, None)  # as where it is not installed
    state = [] if command[0] == "sessions" else ["--state-dir", str(tmp_path)]
    assert main([*command, "s3://bucket/x", *state]) == 2
    assert f"this store {needs('store')}" in capfd.readouterr().err
