"""Settings of the whole suite: properties draw the same examples each time, no clock decides, a failure is shown
when it happens, and a run that left tests out by their markers says so in its last lines."""

import gc
import os
import signal
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from ctxmgr import devices

settings.register_profile(
    "ctxmgr",
    deadline=None,
    derandomize=True,
    print_blob=False,
    database=None,
    max_examples=int(os.environ.get("CTXMGR_EXAMPLES", "30")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ctxmgr")

MARKERS = {
    "real": "start a real program (pi, Claude Code, Rust, Chromium, ...)",
    "kill": "kill a process in its work",
}
OTHERS = "were deselected by name or expression"
LEFT_OUT = pytest.StashKey[Counter[str]]()


def pytest_configure(config: pytest.Config) -> None:
    # run behind a shell or by nohup some are ignored, and what is spawned here would inherit it
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)
    config.stash[LEFT_OUT] = Counter()
    config.pluginmanager.register(FailuresAtOnce(config))


class FailuresAtOnce:
    """Shows a failure in one line when it happens. pytest shows it whole at the end."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if not report.failed or reporter is None:  # a worker has none: the process that started it reports
            return
        crash = getattr(report.longrepr, "reprcrash", None)
        message = (crash.message if crash else report.longreprtext).partition("\n")[0]
        reporter.write("\n")
        reporter.write_line(f"FAILED {report.nodeid}: {message}", red=True)


def pytest_deselected(items: list[pytest.Item]) -> None:
    for item in items:
        why = next((words for name, words in MARKERS.items() if item.get_closest_marker(name)), OTHERS)
        item.config.stash[LEFT_OUT][why] += 1


@pytest.fixture(autouse=True, scope="session")
def _memory_is_kept() -> Iterator[None]:
    """A process of tests holds hundreds of megabytes. What a server does with them when its last session ends takes
    it seconds, and it ends hundreds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(devices, "give_back", lambda: None)
        yield


def pytest_collection_finish() -> None:
    """What was collected is no garbage: looking through it at each collection took a third of the run."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker's count travels to the process that prints: each worker collects, and leaves out, all of them."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = dict(session.config.stash[LEFT_OUT])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    node.config.stash[LEFT_OUT] |= Counter(getattr(node, "workeroutput", {}).get("left_out", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for why, count in sorted(terminalreporter.config.stash[LEFT_OUT].items()):
        terminalreporter.write_line(f"left out ({count}): tests that {why}")
