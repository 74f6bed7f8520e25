"""Cuts a plan that does not fit the window until it does: the last step of every list.

0. If there are more pictures and documents than the request takes, the oldest are replaced by text (`draft`).
1. Nothing happens while the plan fits. If it does not, it is brought to 95 % of the limit, so that the next message
   does not exceed it again. These means apply in order, each only as far as needed:
    a. tool results are cut to one cap, the newest step's last, and to no less than a tenth of the limit;
    b. so are arguments of calls, except the newest answer's; then the oldest pictures are replaced by text, with
       what holds one beside a result's own content;
    c. text that users pasted, and notes, are cut to one cap of at least 4,000 tokens, except the newest user's;
    d. where turns are removed as a whole, old turns are (`turns_from`: the preset plans again); then old steps
       (rule 7); then texts are cut further;
    e. older results, arguments and texts are cut to their line and a few words;
    f. the newest user's text loses its middle, but keeps its first and last 2,000 tokens;
    g. the newest step's results are cut like all others;
    h. only now text of other sources is cut (`cut_last`).
2. If the removed steps were larger than needed, everything else is cut again, and less.
3. Otherwise nothing is cut below 500 tokens. The newest answer and signed content stay unchanged.
4. Cut content keeps its start, its end and its error lines, and one line says how much is missing (`cutting`).
5. If all that is not enough, `too_big` lists the large content that remains.

6. The promised working set is cut only if cutting everything else is not enough, and then no more than needed, its
   oldest results first. The newest step's results keep half the limit until the others are cut.

7. The oldest steps are removed first: a call with its thinking and results. The newest stays. User messages stay,
   unless one belongs to an answer (`Alternation`), and then only with a packet that is not inside it. A step also
   stays if removing it would bring a fitting list far below its limit. If a large step had to be removed, the
   newest of the smaller ones removed before it come back.
8. A step stays removed as long as all of it was decided to be removed and may be. A late result brings its step
   back. So does a host that takes messages away, if the step is the newest then, or part of it is unknown.

Each cut is a decision that remembers the text, like any other.
"""

import math
from collections.abc import Callable, Container, Mapping, Sequence

import msgspec

from ctxmgr.engine.conversation import NOWHERE, BlockRef, ConversationIndex, Step, goes_on, turn_at
from ctxmgr.engine.fit.draft import (
    FitDraft,
    MediaFitting,
    MediaLimits,
    characters,
    cut_arguments,
    may_hold_all,
    water_level,
)
from ctxmgr.engine.invariants import Invariants
from ctxmgr.engine.rewriting import Ends, Gap, cut, cut_edit, marker
from ctxmgr.model import Decision, HeavyMessage, Plan, Weigh


class CutLast(msgspec.Struct, frozen=True):
    """`blocks` that are cut last, followed by the `working_set`, given by the index of its first message; both are
    computed when something must be cut. `target_tokens`: the goal for a list whose working set is cut.
    """

    blocks: Callable[[], frozenset[BlockRef]] = frozenset
    working_set: Callable[[], int] = lambda: NOWHERE
    target_tokens: float = math.inf


class FitInputs(msgspec.Struct, frozen=True):
    """`limit`: tokens that the list may have. `target_tokens`: the goal for a list over it, if a preset keeps less.
    `handle`: the name of an original in the archive, "" without one. `media`: their limits. `turns_stay`: no more
    turns may be removed. `has_packets`: whether a packet may ever report what is removed. `last`: what is cut last.
    """

    limit: float
    weigh: Weigh
    rules: Invariants
    handle: Callable[[str], str]
    media: MediaLimits
    turns_stay: bool = False
    has_packets: bool = True
    target_tokens: float = math.inf
    last: CutLast = CutLast()


TARGET_SHARE = 0.95  # of the limit
KEPT_SHARE = 0.9  # of the limit: removing steps does not bring a list below this if others may stay
LEAST_TOKENS = 500  # of any cut content
NEWEST_RESULTS_MOST = 0.5  # of the limit: the newest step's results together, while others are uncut
NEWEST_RESULTS_SHARE = 0.1  # the same, until nothing else is left to cut
PASTED_TOKENS = 4_000  # a longer text was pasted; it is cut before steps are removed
ENDS_TOKENS = 2_000  # of each end of the newest user's text
LINE_TOKENS = 40  # about the size of the line that says how much was cut
REMAINS_TOKENS = 60  # of content that is cut once more, when all else was not enough
HEAVIEST_LISTED = 5  # of the content that is too big


class Fitted(msgspec.Struct, frozen=True):
    """The plan after the cuts. `turns_from`: the preset must remove turns before this message; 0: none."""

    plan: Plan
    turns_from: int = 0


def fitted(conversation: ConversationIndex, plan: Plan, inputs: FitInputs) -> Fitted:
    """Pure: the same arguments give the same plan."""
    if plan.too_big:
        plan = msgspec.structs.replace(plan, too_big=())
    if plan.weight <= inputs.limit and may_hold_all(conversation, plan, inputs.media):
        return Fitted(plan)
    work = _Fitting(conversation, plan, inputs)
    work.run()
    if work.leaving and work.draft.weight < work.bounds.least_weight:
        work = _Fitting(conversation, plan, inputs, work.leaving)  # rule 2
        work.run()
    plan, too_big = work.draft.finished(), work.too_big()
    return Fitted(msgspec.structs.replace(plan, too_big=too_big) if too_big else plan, work.turns_from)


class _Fitting:
    """`gone`: the steps that are removed first. `leaving`: all that are removed."""

    def __init__(
        self, conversation: ConversationIndex, plan: Plan, inputs: FitInputs, gone: Sequence[Step] = ()
    ) -> None:
        self.conversation, self.inputs, self.draft = conversation, inputs, FitDraft(conversation, plan)
        self.turns_from, self.target = 0, min(TARGET_SHARE * inputs.limit, inputs.target_tokens)
        most = self.target / TARGET_SHARE
        self.bounds = FitBounds(KEPT_SHARE * most, self.target, most)
        self.leaving: list[Step] = []
        self._drop(gone)
        self.pictures = MediaFitting(self.draft, inputs.rules, inputs.media, inputs.weigh)
        self.cut_last = inputs.last.blocks()
        self.promised = range(inputs.last.working_set(), conversation.size)  # rule 6
        self.whole = False  # whether everything but the promised part is cut, and that is uncut
        self.newest = conversation.newest_reply  # the last of several items
        self.newest_call = self.newest
        while self.newest_call > 0 and goes_on(conversation.messages, self.newest_call):
            self.newest_call -= 1

    def run(self) -> None:
        """Rule 1."""
        old = (self.results, self.arguments, self.media, self.pasted, self.steps, self.texts, self.remains)
        every = (*old, self.newest_user, self.newest_results, self.instructions)
        self.pictures.to_limits()
        for means in (old, every) if self.promised else (every,):
            for each in means if self.draft.weight > self.inputs.limit else ():
                if self.is_over() and not self.turns_from:
                    each()
            if self.promised:
                self.promised, self.whole = range(0), True
                self.target = max(
                    self.target, TARGET_SHARE * min(self.inputs.limit, self.inputs.last.target_tokens)
                )

    def media(self) -> None:
        """Rule 1b, of pictures."""
        conversation = self.conversation
        newest = (conversation.newest_user, *range(max(0, self.newest), conversation.size))
        self.pictures.to_weight(
            self.target,
            lambda ref, item: (
                ref.message_index in newest or (not item.is_shown and self._is_last(ref, self.promised))
            ),
        )

    def _is_last(self, ref: BlockRef, stays: Container[int]) -> bool:
        """Whether it must not be cut now. `stays`: messages that must not."""
        return ref.message_index in stays or ref in self.cut_last

    def is_over(self) -> bool:
        """Whether more must be cut. The promised part (rule 6) is not cut for a few tokens."""
        return self.draft.weight > (self.target / TARGET_SHARE if self.whole else self.target)

    def over(self) -> float:
        """Tokens still to remove."""
        return self.draft.weight - self.target

    def results(self) -> None:
        """Rule 1a."""
        refs = self._blocks(("result", "shell"), ("result", "user", "shell"))
        older = [(ref, LEAST_TOKENS) for ref in refs if ref.message_index < self.newest]
        newest = [ref for ref in refs if ref.message_index > self.newest]
        share = self.inputs.limit / max(1, len(newest))
        first, last = (
            [(ref, max(LEAST_TOKENS, int(part * share))) for ref in newest]
            for part in (NEWEST_RESULTS_MOST, NEWEST_RESULTS_SHARE)
        )
        if sum(map(self.draft.block_weight, newest)) <= NEWEST_RESULTS_MOST * self.inputs.limit:
            first = []
        for each in (first, *([ref] for ref in older), last) if self.whole else (first, older, last):
            if each and self.is_over():
                self._cut(each)

    def newest_results(self) -> None:
        """Rule 1g."""
        refs = self._blocks(("result", "shell"), ("result", "user", "shell"))
        self._cut([(ref, LEAST_TOKENS) for ref in refs])
        stays = (self.conversation.newest_user,)
        self.pictures.to_weight(self.target, lambda ref, item: item.is_shown or self._is_last(ref, stays))

    def remains(self) -> None:
        """Rule 1e."""
        refs = self._blocks(("result", "shell"), ("result", "user", "shell"))
        self._cut([(ref, REMAINS_TOKENS) for ref in refs if ref.message_index < self.newest])
        for each in (self._arguments, self._texts):
            if self.over() > 0:
                each(REMAINS_TOKENS)

    def instructions(self) -> None:
        """Rule 1h."""
        self.cut_last = frozenset()
        for each in (self.texts, self.newest_results, self.remains):
            if self.over() > 0:
                each()

    def pasted(self) -> None:
        """Rule 1c."""
        self._texts(PASTED_TOKENS)

    def texts(self) -> None:
        """Rule 1d, after steps were removed."""
        self._texts(LEAST_TOKENS)

    def _texts(self, least: int) -> None:
        refs = self._blocks(("text",), ("user", "note", "result"))
        self._cut([(ref, least) for ref in refs if ref.message_index != self.conversation.newest_user])

    def newest_user(self) -> None:
        """Rule 1f."""
        refs = self._blocks(("text",), ("user",))
        refs = [ref for ref in refs if ref.message_index == self.conversation.newest_user]
        weigh = self.inputs.weigh
        ends = {ref: Ends() for ref in refs}
        leasts = dict.fromkeys(refs, LINE_TOKENS)
        for order, from_end in ((refs, False), (refs[::-1], True)):
            stays = ENDS_TOKENS
            for ref in order:
                text = self.conversation.block(ref).text
                size = characters(text[::-1] if from_end else text, stays, weigh)
                weight = weigh(text[len(text) - size :] if from_end else text[:size])
                name = "end_chars" if from_end else "start_chars"
                ends[ref] = msgspec.structs.replace(ends[ref], **{name: size})
                leasts[ref] += weight
                stays = max(0, stays - weight)
        self._cut([(ref, leasts[ref]) for ref in refs], ends)

    def arguments(self) -> None:
        """Rule 1b."""
        self._arguments(LEAST_TOKENS)

    def _arguments(self, least: int) -> None:
        refs = [ref for ref in self._blocks(("call",), ("assistant",)) if ref.message_index < self.newest_call]
        vessels = [(self.draft.block_weight(ref), least) for ref in refs]
        cap = max(least, water_level(vessels, self.over()))
        for ref, (weight, _) in zip(refs, vessels, strict=True):
            if weight <= cap:
                continue
            block = self.conversation.block(ref)
            done = cut_arguments(block.tool, block.arguments or {}, cap, self.inputs.weigh, self._line(""))
            if done is None or done[1] >= weight:
                continue
            arguments, after = done
            self._put(ref, Decision("cut", written=(msgspec.json.encode(arguments).decode(),), weight=after))

    def steps(self) -> None:
        """Rule 1d."""
        rules, conversation, shown = self.inputs.rules, self.conversation, self.draft.visible()
        if rules.by_turns:
            self._turns(shown)
        if self.turns_from:
            return
        first = next((index for index in shown if conversation.messages[index].view.role != "prompt"), -1)
        may = set(shown) - {first, *(ref.message_index for ref in self.cut_last), *self.promised}
        if self.draft.plan.packet is None and (self.inputs.has_packets or not rules.packet_inside):
            may = {index for index in may if rules.may_leave_untold(conversation, index)}
        elif rules.packet_inside:
            may.discard(self.draft.plan.floor)
        steps = [step for step in may_leave(conversation, rules) if may.issuperset(step.message_indices)]
        weights = [sum(map(self.draft.message_weight, step.message_indices)) for step in steps]
        self._drop(leaving(steps, weights, self.draft.weight, self.bounds))
        if steps and self.draft.weight <= self.bounds.most_weight:
            self.target = max(self.target, self.draft.weight)  # what fits is close enough; nothing else is cut

    def _drop(self, steps: Sequence[Step]) -> None:
        self.leaving += steps
        for step in steps:
            for index in step.message_indices:
                self.draft.drop(index)

    def _turns(self, shown: Sequence[int]) -> None:
        turns, rules = self.conversation.turns, self.inputs.rules
        if self.inputs.turns_stay:
            return
        weights = dict.fromkeys(range(len(turns)), 0)
        for index in shown:
            if self.conversation.messages[index].view.role != "prompt":
                weights[turn_at(turns, index)] += self.draft.message_weight(index)
        over = self.over()
        for number in range(1, len(turns)):
            over -= weights[number - 1]
            if turns[number].start in self.promised:
                break
            if turns[number].start > self.draft.plan.floor and rules.may_cut_at(self.conversation, number):
                self.turns_from = turns[number].start
                if over <= 0:
                    break

    def too_big(self) -> tuple[HeavyMessage, ...]:
        """Rule 5."""
        messages, shown = self.conversation.messages, self.draft.visible()
        weights = {index: self.draft.message_weight(index) for index in shown}
        if self.draft.weight > self.inputs.limit:
            sizes = weights
        elif self.draft.size_bytes() > self.inputs.media.most_bytes:
            sizes = {index: len(messages[index].raw) for index in shown}
        else:
            return ()
        heaviest = sorted(sizes, key=lambda index: (-sizes[index], index))[:HEAVIEST_LISTED]
        return tuple(HeavyMessage(messages[index].view.role, index, weights[index]) for index in heaviest)

    def _blocks(self, kinds: Sequence[str], roles: Sequence[str]) -> list[BlockRef]:
        """The blocks of these kinds, in messages of these roles, that may be cut."""
        messages, rules = self.conversation.messages, self.inputs.rules
        return [
            ref
            for index in self.draft.visible()
            if messages[index].view.role in roles and index not in self.promised
            for ref, block in self.draft.blocks(index)
            if block.kind in kinds and ref not in self.cut_last and rules.may_edit(self.conversation, ref, "cut")
        ]

    def _cut(self, leasts: Sequence[tuple[BlockRef, int]], ends: dict[BlockRef, Ends] | None = None) -> None:
        """Cuts to one cap, none below its minimum."""
        vessels = [(self.draft.block_weight(ref), least) for ref, least in leasts]
        cap = water_level(vessels, self.over())
        for (ref, least), (weight, _) in zip(leasts, vessels, strict=True):
            if weight > max(cap, least):
                self._cut_text(ref, max(cap, least), (ends or {}).get(ref, Ends()))

    def _cut_text(self, ref: BlockRef, tokens: int, ends: Ends) -> None:
        block, before = self.conversation.block(ref), self.conversation.block_weight(ref)
        whole = self.inputs.weigh(block.text) if block.media else before
        decision, weigh = self.draft.decision(ref), self.inputs.weigh
        beside = sum(self.inputs.media.weigh(item) for _, item in self.draft.media(ref))
        beside += sum(weigh(text) for _, text in decision.media)
        line = self._line(self.inputs.handle(self.conversation.block_key(ref)))
        gap = Gap(lambda left, start, end: line(whole, left))
        done = cut(block.text, whole, tokens - beside, self.inputs.weigh, gap, ends)
        if done is None or done.weight + beside >= self.draft.block_weight(ref):
            return
        self._put(ref, Decision("cut", written=done.parts, weight=done.weight + beside, media=decision.media))

    def _put(self, ref: BlockRef, decision: Decision) -> None:
        self.draft.put(cut_edit(self.conversation, ref, decision), decision)

    def _line(self, handle: str) -> Callable[[int, int], str]:
        return lambda whole, left: marker.cut(whole, left, handle)


class FitBounds(msgspec.Struct, frozen=True):
    """For a list that was cut, in tokens: its goal, its limit, and what it should not fall below."""

    least_weight: float
    target_weight: float
    most_weight: float


def may_leave(conversation: ConversationIndex, rules: Invariants) -> tuple[Step, ...]:
    """The steps that may ever be removed, oldest first."""
    stays = {*rules.must_stay(conversation), conversation.newest_reply}
    steps = rules.steps(conversation).steps[:-1]
    return tuple(
        step for step in steps if stays.isdisjoint(step.message_indices) and rules.may_leave(conversation, step)
    )


def leaving(steps: Sequence[Step], weights: Sequence[int], weight: int, bounds: FitBounds) -> list[Step]:
    """Which of these `steps`, with these `weights`, are removed from a list of `weight` tokens."""
    chosen: list[int] = []
    for number, light in enumerate(weights):
        if weight <= bounds.target_weight or (
            weight <= bounds.most_weight and weight - light < bounds.least_weight
        ):
            break
        chosen.append(number)
        weight -= light
    for number in reversed(tuple(chosen)):
        if weight < bounds.least_weight and weight + weights[number] <= bounds.target_weight:
            chosen.remove(number)
            weight += weights[number]
    return [steps[number] for number in chosen]


def unfit(conversation: ConversationIndex, decisions: Mapping[str, Decision], rules: Invariants) -> frozenset[int]:
    """The removed messages, by index (rule 8)."""
    keys = {key for key, decision in decisions.items() if decision.to_fit}
    if not keys:
        return frozenset()
    out = (step.message_indices for step in may_leave(conversation, rules))
    return frozenset(
        index for step in out if all(conversation.key(index) in keys for index in step) for index in step
    )
