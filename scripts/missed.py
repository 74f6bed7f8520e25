"""The probes that a list cannot answer, the words that a model would search for, and how what a search returns is
graded.

1. The search words are the command or file that a probe is about, then that plus what the next step says. A probe
   about neither is never asked for.
2. What a search returns is graded like the list: list and answer together must contain all evidence. A call comes
   back as JSON, which a model reads as well as the list's form, so it is also graded without JSON syntax.
"""

from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from ctxmgr.study import observations
from ctxmgr.study.probes import ProbeKind, evidence, figures, history, kinds
from ctxmgr.study.recordings import Recording

_JSON_SIGNS = (("\\n", "\n"), ("\\t", "\t"), ('\\"', '"'), ('":', '" : '), ('","', '" , "'), ("\\\\", "\\"))
HINT_CHARACTERS = 1_000  # of each; nobody types more
_encode = msgspec.json.Encoder().encode


class MissedProbe(msgspec.Struct, frozen=True):
    """One probe at one call, which the entry `reply` answered. `hints`: search words. `names`: as in the index.
    `evidence_index` and `ids`: the list that was sent.
    """

    probe: evidence.Probe
    reply: str
    hints: tuple[str, ...]
    names: dict[str, int]
    evidence_index: evidence.EvidenceIndex
    ids: evidence.Ids

    def answered(self, texts: Sequence[str]) -> bool:
        """Whether the list and these texts contain all of the evidence."""
        more = evidence.EvidenceIndex(self.names)
        content = [{"type": "text", "text": piece} for text in texts for piece in (text, _without_json(text))]
        shown = frozenset({more.number(_encode({"role": "toolResult", "content": content, "timestamp": 0}))})

        def share(asked: evidence.Evidence) -> float:
            listed, brought = self.evidence_index.holder_sets(asked), more.holder_sets(asked)
            held = [
                not (here.isdisjoint(self.ids) and there.isdisjoint(shown))
                for here, there in zip(listed, brought, strict=True)
            ]
            return sum(held) / len(held) if held else 0.0

        return evidence.grade(self.probe, share) >= figures.WHOLE


def _without_json(text: str) -> str:
    """With each value of an object separate, and its lines as lines."""
    for sign, stands_for in _JSON_SIGNS:
        text = text.replace(sign, stands_for)
    return text


class AskedProbes(msgspec.Struct, frozen=True):
    """`used_counts`: probes of each kind that somebody would search for. `missed`: in call order."""

    used_counts: dict[ProbeKind, int]
    missed: tuple[MissedProbe, ...]


def missed(
    recording: Recording,
    window: int,
    sights: Sequence[observations.Observation],
    weigh: Callable[[bytes], int],
    wanted: Sequence[ProbeKind],
) -> AskedProbes:
    """For one policy's lists. `window` in tokens. `weigh`: bytes of a message to tokens. `wanted`: kinds."""
    of = kinds.examined(recording, window, weigh)
    index = evidence.EvidenceIndex(of.names)
    lists = figures.ProjectedLists(index, sights)
    asked = dict.fromkeys(wanted, 0)
    missed_probes: list[MissedProbe] = []
    for point in of.points:
        ids = lists.ids(lists.calls[point.reply]) if point.reply in lists.calls else None
        for probe in point.probes:
            if ids is None or probe.kind not in asked or not probe.used or not probe.subject:
                continue
            asked[probe.kind] += 1
            if evidence.grade(probe, partial(index.share, ids=ids)) < figures.WHOLE:
                hints = _hints(of.history, probe, point.end)
                missed_probes.append(MissedProbe(probe, point.reply, hints, of.names, index, ids))
    return AskedProbes(asked, tuple(missed_probes))


def _hints(of: history.SessionHistory, probe: evidence.Probe, end: int) -> tuple[str, ...]:
    """For a probe before message number `end`; the narrowest first."""
    doing = of.spoken[end] if end < len(of.spoken) else ""
    wider = f"{probe.subject} {doing}".strip()
    return tuple(dict.fromkeys(hint[:HINT_CHARACTERS] for hint in (probe.subject, wider)))
