"""Turns a preparation as a host has it into ours, and ours into what a host is shown."""

from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from ctxmgr.engine.compaction import cohesion, prepare, render, slices
from ctxmgr.formats.pi_tree import view_branch
from ctxmgr.model import invalid_params, path_of
from ctxmgr.model.api import compaction as wire
from ctxmgr.model.compaction import (
    BranchEntry,
    BranchMessage,
    CompactionPlan,
    CutBudget,
    FileLists,
    NothingToCompact,
    Strategy,
)
from ctxmgr.session.compaction.job_context import JobContext
from ctxmgr.session.prefetch import PrefetchedCompaction
from ctxmgr.session.reading import Reader
from ctxmgr.session.session import Embedding
from ctxmgr.session.work import Embed, Offload, Routine

Shape = TypeVar("Shape")


def given(host: wire.HostPreparation, seen: JobContext) -> CompactionPlan:
    """The host's preparation as ours. Its messages are read: not where events are served. Its file sets come as
    lists, or as {} from a host that forgot them."""
    theirs = host.settings or wire.GivenSettings()
    cut = CutBudget(
        keep_recent_tokens=_number(theirs.keep_recent_tokens, seen.cut_budget.keep_recent_tokens),
        reserve_tokens=_number(theirs.reserve_tokens, seen.cut_budget.reserve_tokens),
        weigher=seen.cut_budget.weigher,
    )
    return CompactionPlan(
        first_kept=host.first_kept_entry_id,
        history=_messages(seen.reader, host.messages_to_summarize or []),
        prefix=_messages(seen.reader, host.turn_prefix_messages or []),
        split=bool(host.is_split_turn),
        tokens_before=int(host.tokens_before or 0),
        previous=host.previous_summary or None,
        files=FileLists(*(_paths(host.file_ops, name) for name in ("read", "written", "edited"))),
        settings=cut,
    )


def decoded(raw: msgspec.Raw, shape: type[Shape]) -> Shape:
    """A preparation of the host in this shape. Raises CallError with the path of what is wrong with it."""
    try:
        return msgspec.json.decode(raw, type=shape)
    except msgspec.ValidationError as fault:
        text, _, path = str(fault).partition(" - at `$")
        raise invalid_params(text, path_of(text, "$.preparation" + path.rstrip("`"))) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:  # its words may quote the host's
        raise invalid_params(f"can not be decoded: {type(fault).__name__}", "$.preparation") from None


NO_PATH = NothingToCompact(
    "Nothing to compact: no path leads to the leaf. Ids are strings, and leafId is one of them."
)
SILENT = NothingToCompact("Nothing to compact: what would be summarised says nothing.")


def planned(
    seen: JobContext, path: tuple[BranchEntry, ...], entries: Sequence[bytes] | None
) -> CompactionPlan | NothingToCompact:
    """The compaction of this path, or why there is none."""
    if entries and not path:
        return NO_PATH
    found = prepare.decide(path, seen.cut_budget, seen.weigh)
    if isinstance(found, CompactionPlan):
        return found if speaks(found) else SILENT
    if entries and len(path) < len(entries):
        beside = f" Of {len(entries)} entries {len(path)} are on the path to the leaf."
        return NothingToCompact(found.reason + beside)
    return found


def speaks(prepared: CompactionPlan) -> bool:
    """Whether there is anything to summarise, or a summary to carry on."""
    messages = (*prepared.history, *prepared.prefix)
    return bool(prepared.previous) or any(render.message_text(message) for message in messages)


def made(seen: JobContext, path: tuple[BranchEntry, ...], host: CompactionPlan) -> CompactionPlan | None:
    """Ours where the host sent its entries: it knows more of earlier compactions. The host's own otherwise, and
    where ours finds nothing to do. None where there is nothing at all."""
    if path:
        settings = msgspec.structs.replace(seen.cut_budget, keep_recent_tokens=host.settings.keep_recent_tokens)
        found = prepare.decide(
            path, msgspec.structs.replace(settings, reserve_tokens=host.settings.reserve_tokens), seen.weigh
        )
        if isinstance(found, CompactionPlan):
            return found
    return host if speaks(host) else None


def still_fits(ahead: PrefetchedCompaction, path: tuple[BranchEntry, ...], host: CompactionPlan) -> bool:
    """Whether a compaction written ahead is one of this branch. Without entries the session's own word holds:
    it forgets what a move or a compaction has outdated."""
    if not path:
        return True
    ids = {entry.id for entry in path}
    return ahead.compaction.first_kept_entry_id in ids and (ahead.leaf is None or ahead.leaf in ids)


def for_host(prepared: CompactionPlan, enabled: bool) -> wire.Preparation:
    """As a host reads it."""
    cut = prepared.settings
    return wire.Preparation(
        first_kept_entry_id=prepared.first_kept,
        messages_to_summarize=tuple(msgspec.Raw(message.raw) for message in prepared.history),
        turn_prefix_messages=tuple(msgspec.Raw(message.raw) for message in prepared.prefix),
        is_split_turn=prepared.split,
        tokens_before=prepared.tokens_before,
        file_ops=wire.FileOps(prepared.files.read, prepared.files.written, prepared.files.edited),
        settings=wire.SettingsUsed(enabled, cut.reserve_tokens, cut.keep_recent_tokens, cut.weigher),
        previous_summary=prepared.previous,
    )


def _messages(reader: Reader, raws: list[msgspec.Raw]) -> tuple[BranchMessage, ...]:
    entries = view_branch.from_messages(reader.fmt, [bytes(raw) for raw in raws], [""] * len(raws))
    return tuple(message for entry in reader.with_tools_in(entries) for message in entry.messages)


def serialized(prepared: CompactionPlan) -> wire.Serialized:
    return wire.Serialized(render.conversation(prepared.history), render.conversation(prepared.prefix))


def _paths(ops: Any, name: str) -> tuple[str, ...]:
    found = ops.get(name) if isinstance(ops, dict) else None
    return tuple(path for path in found if isinstance(path, str)) if isinstance(found, list) else ()


def _number(value: Any, default: int) -> int:
    return int(value) if isinstance(value, int | float) and 0 <= value < 2**53 else default


# Where a history breaks naturally: told by vectors of the host, or of the embeddings extra.
#
# Rule: what can not be had is done without. Then the words tell, as they do unless the policy says otherwise.


SLICED: tuple[Strategy, ...] = ("parallel-stitch", "sequential-accumulated", "sequential-rolling")


def depths(seen: JobContext, messages: Sequence[BranchMessage], strategy: Strategy) -> Routine[list[float] | None]:
    """One depth a step of these messages; None where the words are to tell."""
    wanted = seen.policy.slices
    if wanted.breaks != "natural" or wanted.cohesion == "words" or strategy not in SLICED:
        return None
    steps = slices.steps(messages)
    if len(steps) < 2:  # there is nothing between them to tell
        return None
    texts = yield Offload(lambda: tuple(map(cohesion.step_text, steps)))
    if wanted.cohesion == "host":
        vectors = (yield Embed(texts)) if seen.vectors.by_host else None
    else:
        embed = seen.vectors.embed
        vectors = (yield Offload(lambda: _embedded(embed, texts))) if embed is not None else None
    if vectors is None:
        return None
    found: list[float] = yield Offload(lambda: cohesion.deepened(cohesion.depths_from_vectors(vectors), steps))
    return found


def _embedded(embed: Embedding, texts: tuple[str, ...]) -> list[list[float]] | None:
    """None where the extra can not do it: what it is made of is not ours, and a compaction does not fail for it."""
    try:
        return embed(texts)
    except Exception:  # noqa: BLE001
        return None
