"""`ctxmgr models`: a table for people, of an id what was found for it and how."""

import json
from pathlib import Path

import pytest

from ctxmgr.cli import main
from ctxmgr.known_models import read, shipped


def lines(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> list[str]:
    assert main(["models", *arguments]) == code
    return capsys.readouterr().out.splitlines()


def test_every_row_is_a_line_below_the_headings(capsys: pytest.CaptureFixture[str]) -> None:
    out = lines(capsys)
    assert out[0].split() == ["model", "window", "output", "in", "out", "read", "write", "tiers", "cache", "date"]
    assert [row.split()[:7] for row in out if row.startswith("claude-opus-5-5 ")] == [
        ["claude-opus-5-5", "1,000,000", "128,000", "4", "20", "0.2", "5"]
    ]
    assert "272k x 2" in next(row for row in out if row.startswith("gpt-6.1-sol "))


def test_a_pattern_chooses_rows(capsys: pytest.CaptureFixture[str]) -> None:
    out = lines(capsys, "claude-haiku-?-5")
    assert [row.split()[0] for row in out[1:3]] == ["claude-haiku-4-5", "claude-haiku-5-5"]
    assert out[3] == ""


def test_of_an_id_it_is_told_what_was_found_and_how(capsys: pytest.CaptureFixture[str]) -> None:
    out = lines(capsys, "us.anthropic.claude-haiku-5-5-20261001-v1:0")
    assert "matched      model: claude-haiku-5-5 is known" in out
    assert "prices       in 0.1, out 0.5, read 0.01, write 0.125" in out
    assert "             in 0.5, out 2.5, read 0.05, write 0.625 above 100,000 tokens" in out
    rule = "marks, at most 4, found 20 blocks back, from 512 tokens on, for 5 min from each read"
    assert f"cache        {rule}" in out
    assert "kept longer  1 h at 0.2 a write" in [row.replace("60 min", "1 h") for row in out]
    assert any(row.startswith("source       LiteLLM ") and row.endswith(")") for row in out)


def test_what_is_unknown_is_told_and_is_an_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert "matched      unknown: no known family in its name" in lines(capsys, "llama-9", code=1)
    assert lines(capsys, "llama*", code=1) == []


def test_rows_of_a_file_go_before_those_that_are_known(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    own = tmp_path / "own.json"
    own.write_text('{"models": [{"id": "claude-opus-5-5", "window": 64000, "source": "ours"}, {"id": "acme-1"}]}')
    out = lines(capsys, "claude-opus-5-5", "--models", str(own))
    assert "window       64,000 tokens" in out
    assert "source       ours (2026-11-23)" in out
    assert "matched      model: acme-1 is known" in lines(capsys, "acme-1", "--models", str(own))


def test_a_bad_file_is_told_by_row_and_member(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    own = tmp_path / "own.json"
    own.write_text('{"models": [{"id": "a", "windw": 5}]}')
    assert main(["models", "--models", str(own)]) == 1
    text = 'models[0] ("a") windw: unknown member `windw`; did you mean `window`?'
    assert capsys.readouterr().err == f"ctxmgr models: {own}: {text}\n"


def test_json_has_each_member_by_the_names_of_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    (unknown,) = json.loads("\n".join(lines(capsys, "--json", "acme-1", code=1)))
    rule = {"mostMarks": 0, "lookBackBlocks": 0, "leastTokens": 0, "stepTokens": 1, "lifetimeMs": 300_000}
    assert unknown["cache"] == {"kind": "implicit", **rule, "renews": True}
    assert (unknown["usualWindow"], unknown["maxOutputTokens"], unknown["prices"]) == (200_000, None, None)
    (known,) = json.loads("\n".join(lines(capsys, "--json", "gpt-5.5")))
    assert (known["cache"]["kind"], known["prices"]["tiers"][0]["aboveTokens"]) == ("implicit", 272_000)
    assert set(known["prices"]) == {"input", "output", "cacheRead", "cacheWrite", "tiers"}
    members = ("window", "maxOutputTokens", "prices", "batch", "cache", "longCache", "vocabulary", "source", "date")
    row = {name: known[name] for name in ("id", "family", *members)}
    again = read(json.dumps({"models": [row]}).encode()).find("gpt-5.5")
    assert again == shipped().find("gpt-5.5")
