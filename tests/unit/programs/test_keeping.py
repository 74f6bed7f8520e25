"""What a run keeps, and whether its model has tools: by default, by flags and by settings; never where it
observes."""

import argparse
from pathlib import Path
from typing import Any

import pytest

from ctxmgr.devices import ArchiveDatabase
from ctxmgr.model.epochs import ArchiveRow
from ctxmgr.programs import proxying
from ctxmgr.programs.proxying import NOTHING, Keeping, WrongFlag
from ctxmgr.proxy import ProxySettings
from ctxmgr.settings import SettingsFault

BOTH, ORIGINALS = Keeping(True, True), Keeping(True, False)


def settings_of(
    tmp_path: Path, keeps: Keeping, upstream: str = "https://api.example", **flags: Any
) -> ProxySettings:
    plain = {
        "models": None,
        "preset": None,
        "window": None,
        "observe": False,
        "keep_originals": None,
        "holdout": None,
        "compactions": None,
    }
    parsed = argparse.Namespace(**{**plain, "model_tools": None, "state_dir": str(tmp_path), **flags})
    return proxying.proxy(parsed, upstream, of=keeps).settings


def made(tmp_path: Path, keeps: Keeping, **flags: Any) -> tuple[bool, bool]:
    """Are originals kept, and are there tools?"""
    settings = settings_of(tmp_path, keeps, **flags)
    return settings.keeps_originals, bool(settings.tools_token)


@pytest.fixture(autouse=True)
def nothing_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "config.toml"
    path.write_text("")
    monkeypatch.setenv("CTXMGR_CONFIG", str(path))
    return path


@pytest.mark.parametrize(
    ("keeps", "flags", "expected"),
    [
        (BOTH, {}, (True, True)),
        (ORIGINALS, {}, (True, False)),
        (NOTHING, {}, (False, False)),
        (BOTH, {"observe": True}, (False, False)),
        (BOTH, {"keep_originals": False}, (False, False)),
        (BOTH, {"model_tools": False}, (True, False)),
        (NOTHING, {"keep_originals": True, "model_tools": True}, (True, False)),
    ],
)
def test_what_holds(tmp_path: Path, keeps: Keeping, flags: dict[str, bool], expected: tuple[bool, bool]) -> None:
    assert made(tmp_path, keeps, **flags) == expected


def test_settings_switch_it_off(tmp_path: Path, nothing_is_set: Path) -> None:
    nothing_is_set.write_text("model_tools = false\n")
    assert made(tmp_path, BOTH) == (True, False)
    nothing_is_set.write_text("keep_originals = false\n")
    assert made(tmp_path, BOTH) == (False, False)
    assert made(tmp_path, BOTH, keep_originals=True) == (True, True)


def test_a_run_begins_without_originals_that_are_too_old(tmp_path: Path) -> None:
    archive = ArchiveDatabase(tmp_path, lambda: 1_000.0)
    archive.put("s", [ArchiveRow("h", "k", "read", "text")])
    archive.close()
    proxying.tidy(settings_of(tmp_path, NOTHING))
    assert ArchiveDatabase(tmp_path).get("s", "h") is not None
    proxying.tidy(settings_of(tmp_path, BOTH))
    assert ArchiveDatabase(tmp_path).get("s", "h") is None


def test_what_is_said_to_people_has_no_secret(capsys: pytest.CaptureFixture[str]) -> None:
    proxying.say("--upstream https://me:hunter2@example/?a=1: an address is needed")
    assert capsys.readouterr().err == "ctxmgr: --upstream https://me:[masked]@example/?a=1: an address is needed\n"


NO_UPSTREAMS = [
    ("https://me:hunter2@example/", "^--upstream must contain no key or password: the program sends its own$"),
    *(
        (address, "is not an address, for example https://api.anthropic.com$")
        for address in ("ftp://h", "http://", "http://[x")
    ),
    *(
        (address, "is not an address, for example https://api.anthropic.com$")
        for address in ("http://h?x=1", "http://h:99999")
    ),
]


def test_an_upstream_is_an_address_and_nothing_more(tmp_path: Path) -> None:
    assert settings_of(tmp_path, BOTH, "http://h:1/v1/").upstream == "http://h:1/v1"
    for address, said in NO_UPSTREAMS:
        with pytest.raises(WrongFlag, match=said):
            settings_of(tmp_path, BOTH, address)


def test_a_share_of_sessions_is_held_out_by_a_flag_and_by_settings(tmp_path: Path, nothing_is_set: Path) -> None:
    def share(**flags: Any) -> float:
        return settings_of(tmp_path, BOTH, **flags).settings_for("claude", "", False).holdout

    assert share() == 0
    assert share(holdout="10%") == 0.1
    nothing_is_set.write_text("holdout = 0.5\n")
    assert share() == 0.5
    assert share(holdout=0) == 0  # as `ctxmgr ab` says it, whose runs are both its own
    with pytest.raises(SettingsFault, match=r"^--holdout: holdout must be a share of sessions"):
        share(holdout="ten")
