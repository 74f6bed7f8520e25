"""The Rust client holds its own tests with the real sidecar."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import needs

ROOT = Path(__file__).resolve().parents[2]
CLIENT = ROOT / "protocol" / "hosts" / "rust"
COMMAND = [sys.executable, "-m", "ctxmgr"]
QUICKLY = {"CARGO_PROFILE_DEV_DEBUG": "0", "CARGO_INCREMENTAL": "0"}  # nobody debugs it, or builds it again
FETCH_SECONDS, BUILD_SECONDS = 120.0, 400.0  # a cold build takes 10 s on two idle cores
HELD = {
    "kept_messages_are_the_very_bytes_that_were_sent",
    "killed_sidecar_goes_on_where_it_was",
    "long_run_is_held_flat_by_epochs_and_grows_between_them",
    "callbacks_run_while_calls_wait",
    "summary_is_asked_for_at_the_end_of_the_hosts_own_list",
    "child_that_never_comes_up_leaves_the_own_list",
    "failing_child_leaves_the_last_projection_and_what_came_since",
    "pauses_between_starts_double_and_end_with_a_run_that_lasts",
    "shutdown_is_bounded",
    "child_that_closes_its_output_and_stays_is_gone_before_anybody_hears_of_it",
    "shutdown_ends_a_child_that_is_being_started",
    "what_one_process_has_not_answered_is_told_to_the_next",
    "session_that_is_locked_or_forgotten_is_told_anew",
    "missing_program_leaves_a_list_that_is_too_long_untouched",
    "fault_of_the_process_names_the_program_and_the_cause",
    "projection::tests::what_does_not_fit_is_the_hosts_own_list_untouched",
}


@pytest.fixture(scope="module")
def cargo() -> str:
    """Its path, with the packages of the lock file there, so that all else runs without a network."""
    found = needs.program("cargo")
    try:
        done = run_cargo(found, "fetch", "--locked", timeout=FETCH_SECONDS)
    except subprocess.TimeoutExpired:
        needs.missing("cargo fetch took too long")
    if done.returncode:
        needs.missing(f"cargo fetch failed: {done.stderr.strip()[-300:]}")
    return found


def run_cargo(
    cargo: str, *arguments: str, timeout: float = BUILD_SECONDS, **environment: str
) -> "subprocess.CompletedProcess[str]":
    settings = {
        **QUICKLY,
        "CARGO_TERM_COLOR": "never",
        "PYTHONPATH": str(ROOT),
        "CTXMGR_COMMAND": json.dumps(COMMAND),
    }
    return subprocess.run(
        [cargo, *arguments],
        capture_output=True,
        text=True,
        cwd=CLIENT,
        timeout=timeout,
        env={**os.environ, **settings, **environment},
    )


@pytest.mark.real
def test_cargo_test(cargo: str) -> None:
    done = run_cargo(cargo, "test", "--locked", "--offline")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    passed = {line.split()[1] for line in done.stdout.splitlines() if line.endswith(" ... ok")}
    assert passed >= HELD


@pytest.mark.real
def test_clippy(cargo: str) -> None:
    """With it: the client prints nothing, which its own lints hold."""
    needs.program("cargo-clippy")
    done = run_cargo(cargo, "clippy", "--locked", "--offline", "--all-targets", "--", "-D", "warnings")
    assert done.returncode == 0, done.stderr[-3000:]
