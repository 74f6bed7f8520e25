"""The command compare, as a user calls it: small sessions, a scripted model, a server on loopback."""

import json
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from ctxmgr.cli import main
from ctxmgr.devices.tokens import LoadedWeigher, Weigher
from ctxmgr.model.compaction.completion import CompletionRequest
from ctxmgr.model.compaction.plans import Format, Strategy
from ctxmgr.model.estimate import estimate
from ctxmgr.study.compare import command as comparing
from ctxmgr.study.compare import material as comparing_material
from ctxmgr.study.compare import rows as comparing_rows
from ctxmgr.study.compare import scripted_model
from tests.model_server import Gate, ModelServer, Reply, Request
from tests.notation import Said, a, call, err, r, u
from tests.unit.engine.trees import compacted, entries

KEEP = ("--keep", "300")
COMMAND = [sys.executable, "-m", "ctxmgr", "compare"]
END_SECONDS = 60.0  # for a process to end; it takes under 2
ASKING: tuple[Strategy, ...] = tuple(one for one in get_args(Strategy) if one != "extractive")

Compare = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def _weighed_by_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "load", lambda name: LoadedWeigher(Weigher("estimate", estimate)))


def turn(number: int, size: int = 2_000) -> list[Said]:
    filler = f"line of part {number} with some words in it\n"
    return [
        u(f"Please mend part {number} in src/part{number}.py. Always keep the name parseTree{number} as it is."),
        a("I look at it first.", call("read", path=f"src/part{number}.py")),
        r(filler * (size // len(filler))),
        a("I run its test.", call("bash", command=f"pytest tests/test_part{number}.py")),
        err(f"ValueError: index {number} is out of range"),
        a(f"Part {number} is mended: resetCursor{number} used a wrong index."),
    ]


def recorded(folder: Path, name: str = "one.jsonl", turns: int = 6, size: int = 2_000) -> Path:
    """A session file of so many turns."""
    said = [one for number in range(1, turns + 1) for one in turn(number, size)]
    lines = [{"type": "session", "version": 3, "id": "s", "cwd": "/somewhere"}, *entries(*said)]
    path = folder / name
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


@pytest.fixture
def compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Compare:
    """Runs the command with --json; its figures and its exit code."""

    def run(*arguments: str | Path, code: int = 0) -> dict[str, Any]:
        capsys.readouterr()
        assert main(["compare", *map(str, arguments), "--out", str(tmp_path / "out"), "--json"]) == code
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    return run


def shares(row: dict[str, Any]) -> dict[str, tuple[int, int]]:
    return {what: (one["held"], one["total"]) for what, one in row["held"].items()}


def answer(request: Request) -> str:
    return scripted_model.complete(CompletionRequest("history", request.system, request.prompt, 4_000)).text


def endpoint(server: ModelServer) -> tuple[str, ...]:
    return ("--endpoint", server.url, "--model", "m", *KEEP)


# what comes out


def test_without_a_model_the_extractive_summary_is_measured(tmp_path: Path, compare: Compare) -> None:
    (row,) = compare(recorded(tmp_path), *KEEP)["rows"]
    assert (row["strategy"], row["format"], row["model"], row["calls"]) == ("extractive", "structured", "none", 0)
    assert 0 < row["summaryTokens"] < row["replacedTokens"]
    assert shares(row)["paths"][0] > 0
    assert all(0 <= held <= total for held, total in shares(row).values())
    assert row["fallbacks"] == row["failures"] == []


def test_each_summary_is_a_file_for_its_owner_alone_and_one_table_has_them_all(
    tmp_path: Path, compare: Compare
) -> None:
    paths = [recorded(tmp_path, "one.jsonl"), recorded(tmp_path, "two.jsonl", turns=9)]
    rows = compare(*paths, *KEEP, "--format", "structured", "--format", "handoff")["rows"]
    table = (tmp_path / "out" / "comparison.md").read_text()
    assert [(row["recording"], row["format"]) for row in rows] == [
        ("one.jsonl", "structured"),
        ("one.jsonl", "handoff"),
        ("two.jsonl", "structured"),
        ("two.jsonl", "handoff"),
    ]
    for row in rows:
        path = tmp_path / "out" / row["file"]
        text = path.read_text()
        assert "## Goal" in text
        assert f"| summary | {row['summaryTokens']:,} |" in text
        assert f"| {row['recording']} | extractive | {row['format']} | 0 |" in table
    files = list((tmp_path / "out").iterdir())
    assert len(files) == 5
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert not any(str(tmp_path) in path.read_text() for path in files)


def test_the_table_on_the_screen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = recorded(tmp_path)
    arguments = ["compare", str(path), *KEEP, "--out", str(tmp_path / "out"), "--scripted"]
    assert main([*arguments, "--strategy", "single-shot", "--strategy", "extractive"]) == 0
    shown = capsys.readouterr()
    for text in ("one.jsonl", "single-shot", "extractive", "replaces", "identifiers", "the scripted model tests"):
        assert text in shown.out
    assert shown.err == ""  # no bar where it is no terminal
    assert main([*arguments, "--strategy", "single-shot"]) == 0
    assert "1 of 1 were there already" in capsys.readouterr().out


def test_on_a_terminal_there_is_a_progress_bar_on_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert main(["compare", str(recorded(tmp_path)), *KEEP, "--out", str(tmp_path / "out"), "--json"]) == 0
    shown = capsys.readouterr()
    assert "1/1" in shown.err
    assert json.loads(shown.out)["rows"]


def test_a_vocabulary_that_is_not_there_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        comparing, "load", lambda name: LoadedWeigher(Weigher("estimate", estimate), "no usable file")
    )
    assert main(["compare", str(recorded(tmp_path)), *KEEP, "--out", str(tmp_path / "out")]) == 0
    assert "no usable file" in capsys.readouterr().err


def test_a_summary_that_loses_things_has_lower_figures(
    tmp_path: Path, compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = recorded(tmp_path)
    (before,) = compare(path, *KEEP)["rows"]
    monkeypatch.setattr("ctxmgr.engine.extractive.summary.summary", lambda *_, **__: "## Goal\nMend src/part1.py.")
    monkeypatch.setattr("ctxmgr.engine.compaction.files.rendered", lambda _: "")
    (tmp_path / "out" / before["file"]).unlink()
    (after,) = compare(path, *KEEP)["rows"]
    for what in ("paths", "identifiers", "errors"):
        assert shares(after)[what][1] == shares(before)[what][1]
        assert shares(after)[what][0] < shares(before)[what][0]
    assert shares(after)["paths"][0] == 1


# models


@pytest.mark.parametrize("format", get_args(Format))
def test_every_strategy_runs_on_the_same_cut(tmp_path: Path, compare: Compare, format: Format) -> None:
    path = recorded(tmp_path, turns=90)
    rows = compare(path, "--keep", "2000", "--scripted", "--format", format)["rows"]
    assert [row["strategy"] for row in rows] == list(get_args(Strategy))
    assert len({row["replacedTokens"] for row in rows}) == 1
    for row in rows:
        assert row["fallbacks"] == []
        assert (row["held"] is None) == (row["strategy"] != "extractive")
        assert row["weighedCalls"] == row["calls"]
        assert (row["calls"] > 0) == (row["inputTokens"] > 0) == (row["strategy"] != "extractive")
    assert max(row["calls"] for row in rows) > 2  # some had to slice


def test_the_scripted_model_answers_the_same_and_knows_what_it_does_not_know() -> None:
    ask = CompletionRequest("history", "", "What is the weather?", 100)
    assert scripted_model.complete(ask).stop == "error"
    assert scripted_model.complete(ask) == scripted_model.complete(ask)


def test_an_endpoint_is_asked_once_and_its_own_counts_are_shown(tmp_path: Path, compare: Compare) -> None:
    path = recorded(tmp_path)
    with ModelServer.threaded(lambda request: Reply(answer(request), usage=(1_000, 50))) as server:
        first = compare(path, *endpoint(server))["rows"]
        asked = len(server.requests)
        second = compare(path, *endpoint(server))["rows"]
        assert len(server.requests) == asked
    assert [row["model"] for row in first] == [*["m"] * len(ASKING), "none"]
    assert asked == sum(row["calls"] for row in first) >= len(ASKING)
    for row in first[:-1]:
        assert (row["inputTokens"], row["outputTokens"]) == (1_000 * row["calls"], 50 * row["calls"])
        assert row["weighedCalls"] == 0
        assert row["held"] is not None
    assert not any(row.pop("reused") for row in first)
    assert all(row.pop("reused") for row in second)
    assert first == second


def test_what_a_provider_does_not_report_is_weighed_and_marked(tmp_path: Path, compare: Compare) -> None:
    with ModelServer.threaded(lambda request: Reply(answer(request), usage=None)) as server:
        (row,) = compare(recorded(tmp_path), *endpoint(server), "--strategy", "single-shot")["rows"]
    assert row["weighedCalls"] == row["calls"] > 0
    assert row["inputTokens"] > row["outputTokens"] > 0
    assert f"~{row['inputTokens']:,}" in (tmp_path / "out" / "comparison.md").read_text()


def test_calls_of_one_summary_run_side_by_side_within_the_policy(tmp_path: Path, compare: Compare) -> None:
    path = recorded(tmp_path, turns=150)
    with ModelServer.threaded(lambda request: Reply(answer(request))) as server:
        (row,) = compare(path, *endpoint(server), "--strategy", "parallel-stitch")["rows"]
        assert 1 <= server.most_in_flight <= 3
    assert row["calls"] > 4
    assert row["fallbacks"] == []


def test_a_refused_answer_is_a_result_and_a_failed_call_is_none(tmp_path: Path, compare: Compare) -> None:
    path = recorded(tmp_path)
    arguments: tuple[str | Path, ...] = (path, "--strategy", "single-shot")
    with ModelServer.threaded(lambda _: Reply("I can not do that.")) as server:
        (row,) = compare(*arguments, *endpoint(server))["rows"]
        assert "no sections" in row["fallbacks"][0]
        assert row["retries"] > 0
        assert compare(*arguments, *endpoint(server))["rows"][0]["reused"]
    with ModelServer.threaded(lambda _: Reply("nobody is let in", status=401)) as server:
        arguments = (*arguments, "--format", "handoff")
        (row,) = compare(*arguments, *endpoint(server))["rows"]
        assert row["fallbacks"]
        assert not compare(*arguments, *endpoint(server))["rows"][0]["reused"]


def test_the_key_is_sent_and_written_nowhere(
    tmp_path: Path, compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_KEY", "sesame")
    with ModelServer.threaded(lambda request: Reply(answer(request))) as server:
        compare(recorded(tmp_path), *endpoint(server), "--api-key-env", "SOME_KEY", "--strategy", "single-shot")
        assert {request.headers["authorization"] for request in server.requests} == {"Bearer sesame"}
    assert not any("sesame" in path.read_text() for path in (tmp_path / "out").iterdir())


# what is there already


@pytest.mark.parametrize("harm", ["half", "changed", "empty", "no file", "another's"])
def test_a_file_that_is_not_whole_does_not_count(tmp_path: Path, compare: Compare, harm: str) -> None:
    path = recorded(tmp_path)
    formats = ("--format", "structured", "--format", "continue")
    rows = compare(path, *KEEP, *formats)["rows"]
    file, other = (tmp_path / "out" / row["file"] for row in rows)
    whole = file.read_bytes()
    harmed = {
        "half": whole[: len(whole) // 2],
        "changed": whole.replace(b"## Goal", b"## Gaol"),
        "empty": b"",
        "another's": other.read_bytes(),
    }
    if harm == "no file":
        file.rename(file.with_suffix(".half"))
    else:
        file.write_bytes(harmed[harm])
    again = compare(path, *KEEP, *formats)["rows"]
    assert [row["reused"] for row in again] == [False, True]
    assert re.sub(rb"(wallMs|digest|seconds)\W+[\w.]+", b"", file.read_bytes()) == re.sub(
        rb"(wallMs|digest|seconds)\W+[\w.]+", b"", whole
    )


def test_other_settings_are_another_row(tmp_path: Path, compare: Compare) -> None:
    path = recorded(tmp_path)
    (first,) = compare(path, *KEEP)["rows"]
    (second,) = compare(path, "--keep", "900")["rows"]
    assert second["file"] != first["file"]
    assert not second["reused"]
    assert compare(path, *KEEP)["rows"][0]["reused"]
    recorded(tmp_path, turns=7)
    assert not compare(path, *KEEP)["rows"][0]["reused"]


def test_a_change_of_the_code_makes_free_rows_anew_and_paid_ones_not(
    tmp_path: Path, compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = recorded(tmp_path)
    strategies = ("--strategy", "single-shot", "--strategy", "extractive")
    with ModelServer.threaded(lambda request: Reply(answer(request))) as server:
        compare(path, *endpoint(server), *strategies)
        monkeypatch.setattr("ctxmgr.study.compare.settings._code", lambda: "other")
        rows = compare(path, *endpoint(server), *strategies)["rows"]
    assert [row["reused"] for row in rows] == [True, False]


def heeding() -> None:
    """In the child: Ctrl-C is heeded, also where this run was started in the background, and so heeds none."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_leaves_what_is_finished_and_the_next_run_goes_on(tmp_path: Path) -> None:
    path, out, gate = recorded(tmp_path), tmp_path / "out", Gate()
    strategies = ("--strategy", "extractive", "--strategy", "single-shot")

    def reply(request: Request) -> Reply:
        return Reply(answer(request), hold=gate)

    with ModelServer.threaded(reply) as server:
        command = [*COMMAND, str(path), *endpoint(server), *strategies, "--out", str(out), "--json"]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdout=pipe, stderr=pipe, preexec_fn=heeding) as process:
            server.wait_until(lambda server: len(server.requests) > 0)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=END_SECONDS)
        assert process.returncode == 130
        assert b"interrupted" in said
        assert b"Traceback" not in said
        assert [file.name.split(".")[1] for file in out.iterdir()] == ["extractive"]
        gate.open()
        done = subprocess.run(command, capture_output=True, timeout=END_SECONDS, check=True)
    rows = json.loads(done.stdout)["rows"]
    assert [row["reused"] for row in rows] == [True, False]


# what goes wrong


def test_what_can_not_be_read_is_said_and_the_others_go_on(
    tmp_path: Path, compare: Compare, capsys: pytest.CaptureFixture[str]
) -> None:
    broken, transcript, other = (tmp_path / name for name in ("broken.jsonl", "talk.jsonl", "other.json"))
    broken.write_text('{"type":"session"}\n{"type":"mess')
    transcript.write_text('{"ctxmgr":{"protocolVersion":"1.0"}}\n')
    other.write_text('{"something":"else"}')
    found = compare(broken, transcript, other, recorded(tmp_path), *KEEP, code=1)
    assert len(found["rows"]) == 1
    assert [one["recording"] for one in found["unreadable"]] == ["broken.jsonl", "talk.jsonl", "other.json"]
    assert "broken.jsonl, line 2" in found["unreadable"][0]["reason"]
    assert main(["compare", str(broken), "--out", str(tmp_path / "out")]) == 1
    assert "broken.jsonl, line 2" in capsys.readouterr().out


def test_a_session_with_nothing_to_compact_is_said_and_is_no_failure(tmp_path: Path, compare: Compare) -> None:
    small = recorded(tmp_path, "small.jsonl", turns=1)
    found = compare(small, recorded(tmp_path))
    assert found["rows"] == []
    assert "small" in found["nothing"][0]["reason"]
    assert "small.jsonl: Nothing to compact" in (tmp_path / "out" / "comparison.md").read_text()


def test_a_row_that_fails_costs_only_itself(
    tmp_path: Path, compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = comparing_rows.row

    async def faulty(material: Any, strategy: Any, format: Any, model: Any) -> Any:
        if format == "handoff":
            raise ZeroDivisionError("planted")
        return await real(material, strategy, format, model)

    monkeypatch.setattr(comparing, "row", faulty)
    found = compare(recorded(tmp_path), *KEEP, "--format", "handoff", "--format", "structured", code=1)
    assert [row["format"] for row in found["rows"]] == ["structured"]
    assert "planted" in found["failed"][0]["reason"]


def test_a_cut_that_would_lose_an_entry_is_a_failure(
    tmp_path: Path, compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing_material, "uncovered", lambda path, prepared: (2,))
    found = compare(recorded(tmp_path), *KEEP, code=1)
    assert found["rows"] == []
    assert "leaves e3 to nobody" in found["failed"][0]["reason"]


def test_a_recorded_compaction_is_carried_on(tmp_path: Path, compare: Compare) -> None:
    said = [one for number in range(1, 5) for one in turn(number)]
    more = [one for number in range(5, 9) for one in turn(number)]
    summary = "## Goal\nKeep the oldestThing alive.\n\n<read-files>\nsrc/older.py\n</read-files>"
    lines = [{"type": "session", "version": 3, "id": "s"}, *entries(*said, compacted(summary, kept="e19"), *more)]
    path = tmp_path / "compacted.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (row,) = compare(path, *KEEP)["rows"]
    text = (tmp_path / "out" / row["file"]).read_text()
    assert "oldestThing" in text
    assert "src/older.py" in text


def test_an_export_and_the_oldest_format_are_read(tmp_path: Path, compare: Compare) -> None:
    first = [one for number in range(1, 7) for one in turn(number)]
    more = [one for number in range(7, 11) for one in turn(number)]
    nodes = entries(*first, compacted("## Goal\nMend it", kept="e25"), *more)
    tree, export, oldest = (tmp_path / name for name in ("tree.jsonl", "export.json", "oldest.jsonl"))
    fork = {**nodes[-1], "id": "fork", "parentId": "e1"}
    export.write_text(json.dumps({"header": {}, "entries": [*nodes, fork], "leafId": nodes[-1]["id"]}))
    for path, kept in ((tree, nodes), (oldest, [without_ids(one) for one in nodes])):
        lines = [{"type": "session", "id": "s"}, *kept]
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    rows = compare(tree, export, oldest, *KEEP)["rows"]
    assert len({row["replacedTokens"] for row in rows}) == 1
    assert shares(rows[0]) == shares(rows[1]) == shares(rows[2])


def without_ids(node: dict[str, Any]) -> dict[str, Any]:
    """As version 1 has it: what a compaction keeps is told by its place in the file."""
    names = ("type", "timestamp", "message", "summary", "tokensBefore")
    kept = {"firstKeptEntryIndex": int(node["firstKeptEntryId"][1:])} if "firstKeptEntryId" in node else {}
    return {**{name: node[name] for name in names if name in node}, **kept}


def test_a_stream_of_events_gives_the_tree_of_its_last_compaction_or_its_last_list(
    tmp_path: Path, compare: Compare
) -> None:
    nodes = entries(*(one for number in range(1, 7) for one in turn(number)))
    messages = [one["message"] for one in nodes]
    events = {
        "list.jsonl": {"event": "context", "payload": {"messages": messages}},
        "tree.jsonl": {"event": "session_before_compact", "payload": {"preparation": {}, "branchEntries": nodes}},
    }
    for name, event in events.items():
        (tmp_path / name).write_text(json.dumps(event) + "\n")
    first, second = compare(*(tmp_path / name for name in events), *KEEP)["rows"]
    assert shares(first) == shares(second)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["no-such-file"],
        ["FILE", "--strategy", "none"],
        ["FILE", "--format", "none"],
        ["FILE", "--strategy", "single-shot"],
        ["FILE", "--keep", "0"],
        ["FILE", "--jobs", "0"],
        ["FILE", "--endpoint", "http://localhost:1/v1"],
        ["FILE", "--model", "m"],
        ["FILE", "--endpoint", "localhost", "--model", "m"],
        ["FILE", "--endpoint", "http://localhost:1/v1", "--model", "m", "--scripted"],
        ["FILE", "--endpoint", "http://localhost:1/v1", "--model", "m", "--api-key-env", "NOT_SET_HERE"],
        ["FILE", "--window", "64000"],
        ["FILE", "--chain", "--window", "30000"],
        ["FILE", "--out", "FILE"],
    ],
)
def test_wrong_usage_is_2_and_nothing_is_written(
    tmp_path: Path,
    arguments: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = recorded(tmp_path)
    monkeypatch.chdir(tmp_path)
    try:
        code: object = main(["compare", *(str(path) if one == "FILE" else one for one in arguments)])
    except SystemExit as end:
        code = end.code
    assert code == 2
    assert capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [path]


def test_by_default_it_writes_to_a_folder_below_the_current_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["compare", str(recorded(tmp_path)), *KEEP]) == 0
    assert (tmp_path / "ctxmgr-compare" / "comparison.md").is_file()
