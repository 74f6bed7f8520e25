"""What `replay --probes` does beside the drives: asks, gathers over recordings, and writes down what failed."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from ctxmgr.study.figures import Figures
from ctxmgr.study.observations import MessageCache, Observation, Timeline, message_cache
from ctxmgr.study.probes import figures, tables
from ctxmgr.study.probes.figures import Scores
from ctxmgr.study.probes.grading import PolicyGrades
from ctxmgr.study.probes.probing import Probed, probed
from ctxmgr.study.recordings import Recording, Stream
from ctxmgr.study.report import RecordingSheet


class Probing:
    """All recordings of one command. `failed`: the file that takes the failed probes, None for none."""

    def __init__(self, failed: str | None) -> None:
        self._failed = failed
        self._other: Timeline | None = None
        self._scores: dict[str, list[Scores]] = {}
        self._checks: dict[str, list[Scores]] = {}
        self._lines: list[str] = []
        self.recordings = 0

    def figures_of(
        self, recorded: Recording | Stream, window: int, lists: Mapping[str, Sequence[Observation]]
    ) -> Figures:
        """Figures by policy, for `--json`; none of a stream, which has no whole list. `lists`: what each preset's
        drive sent (`lists_of`)."""
        if not isinstance(recorded, Recording):
            return {}
        probing = probed(recorded, window, lists, _weigher(), self._other)
        self._other = probing.course
        self.recordings += 1
        self._lines += _failures(recorded.name, probing)
        return {
            "policies": _scored(probing.policies, self._scores),
            "controls": _scored(probing.checks, self._checks),
        }

    def means(self) -> Figures:
        """Over recordings; empty where there are less than two."""
        if self.recordings < 2:
            return {}
        return {
            name: {policy: figures.values(figures.means(some)) for policy, some in scores.items()}
            for name, scores in (("policies", self._scores), ("controls", self._checks))
        }

    def written(self) -> None:
        """The failed probes, one JSON object a line, readable by their owner alone: they hold conversation. Raises
        OSError."""
        if self._failed is not None:
            write_failed(Path(self._failed), self._lines)


def write_failed(path: Path, lines: Sequence[str]) -> None:
    """One JSON object a line, readable by its owner alone. Raises OSError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in lines)


def failed_line(recording: str, policy: str, failure: Figures) -> str:
    """`failure`: of `figures.failures`."""
    return json.dumps({"recording": recording, "policy": policy, **failure}, ensure_ascii=True)


def _weigher() -> Callable[[bytes], int]:
    return MessageCache(message_cache.reader()).weight


def _scored(by_policy: Mapping[str, PolicyGrades], into: dict[str, list[Scores]]) -> Figures:
    out = {}
    for name, grades in by_policy.items():
        scores = figures.scores(grades)
        into.setdefault(name, []).append(scores)
        out[name] = figures.values(scores)
    return out


def _failures(recording: str, probing: Probed) -> Sequence[str]:
    return [
        failed_line(recording, name, failure)
        for name, answers in probing.policies.items()
        for failure in figures.failures(answers)
    ]


def drawn(sheet: RecordingSheet, probes: Figures) -> RecordingSheet:
    """The report's sheet with the kinds by policy."""
    kinds = tuple((kind, dict(shares)) for kind, shares in tables.rows(probes.get("policies", {})))
    return msgspec.structs.replace(sheet, kinds=kinds)
