"""Turns a policy's lists into the probes that they can not answer, each with what a model would ask for it by: the
command or file that it is about, then that and what the next step says. Of a probe about neither nobody asks.

What comes back for such a question is graded as the list is: list and answer together must hold all evidence. A
call comes back as JSON, which a model reads as well as the list has it: it is graded without JSON's signs, too.
"""

from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from ctxmgr.study.observations import Observation
from ctxmgr.study.probes.evidence import Evidence, EvidenceIndex, Ids, Probe, ProbeKind, grade
from ctxmgr.study.probes.figures import WHOLE, ProjectedLists
from ctxmgr.study.probes.reading import SessionHistory
from ctxmgr.study.probes.session import examined
from ctxmgr.study.recordings import Recording

_JSON_SIGNS = (("\\n", "\n"), ("\\t", "\t"), ('\\"', '"'), ('":', '" : '), ('","', '" , "'), ("\\\\", "\\"))
HINT_CHARACTERS = 1_000  # of each: what is longer nobody types
_encode = msgspec.json.Encoder().encode


class MissedProbe(msgspec.Struct, frozen=True):
    """One probe at one call, which the entry `reply` answered. `hints`: what to ask by; `names` as the
    index has them; `evidence_index` and `ids`: the list that was sent."""

    probe: Probe
    reply: str
    hints: tuple[str, ...]
    names: dict[str, int]
    evidence_index: EvidenceIndex
    ids: Ids

    def answered(self, texts: Sequence[str]) -> bool:
        """Whether the list and these texts hold all of the evidence."""
        more = EvidenceIndex(self.names)
        content = [{"type": "text", "text": piece} for text in texts for piece in (text, _without_json(text))]
        shown = frozenset({more.number(_encode({"role": "toolResult", "content": content, "timestamp": 0}))})

        def share(evidence: Evidence) -> float:
            listed, brought = self.evidence_index.holder_sets(evidence), more.holder_sets(evidence)
            held = [
                not (here.isdisjoint(self.ids) and there.isdisjoint(shown))
                for here, there in zip(listed, brought, strict=True)
            ]
            return sum(held) / len(held) if held else 0.0

        return grade(self.probe, share) >= WHOLE


def _without_json(text: str) -> str:
    """With each value of an object apart, and its lines as lines."""
    for sign, stands_for in _JSON_SIGNS:
        text = text.replace(sign, stands_for)
    return text


class AskedProbes(msgspec.Struct, frozen=True):
    """`used_counts`: probes of each kind that somebody would ask for; `missed`: in the order of the calls."""

    used_counts: dict[ProbeKind, int]
    missed: tuple[MissedProbe, ...]


def missed(
    recording: Recording,
    window: int,
    sights: Sequence[Observation],
    weigh: Callable[[bytes], int],
    kinds: Sequence[ProbeKind],
) -> AskedProbes:
    """Of one policy's lists. `window` in tokens; `weigh`: bytes of a message to tokens."""
    of = examined(recording, window, weigh)
    index = EvidenceIndex(of.names)
    lists = ProjectedLists(index, sights)
    asked = dict.fromkeys(kinds, 0)
    missed_probes: list[MissedProbe] = []
    for point in of.points:
        ids = lists.ids(lists.calls[point.reply]) if point.reply in lists.calls else None
        for probe in point.probes:
            if ids is None or probe.kind not in asked or not probe.used or not probe.subject:
                continue
            asked[probe.kind] += 1
            if grade(probe, partial(index.share, ids=ids)) < WHOLE:
                hints = _hints(of.history, probe, point.end)
                missed_probes.append(MissedProbe(probe, point.reply, hints, of.names, index, ids))
    return AskedProbes(asked, tuple(missed_probes))


def _hints(of: SessionHistory, probe: Probe, end: int) -> tuple[str, ...]:
    """For a probe of message number `end`; the first is the narrowest."""
    doing = of.spoken[end] if end < len(of.spoken) else ""
    wider = f"{probe.subject} {doing}".strip()
    return tuple(dict.fromkeys(hint[:HINT_CHARACTERS] for hint in (probe.subject, wider)))
