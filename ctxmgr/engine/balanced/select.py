"""Turns steps and the worth of names into what stays of the old part of a list, within a budget.

Rules:
1. What is fixed stays, and what is held: pins, text that was asked for again, what stands before the place where
   the prefix may break. The newest steps are held, too.
2. Everything else competes for the budget by worth a token. A step's offer is its assistant message, whole and
   as it came, with its results as markers; then each of its results in full. Names that are shown already add no
   worth: of two that say the same the denser one stays. What the assistant decided and found adds one of its own.
   What is shown now counts SHOWN times: once it has left, it comes back whole, and by one more call.
3. What a later read or write covers does not compete: it is pruned before anything else.
4. Errors are short and dear: where the step stays, its error stays with it.
5. What is left over leaves: results become markers where their step stays, else the step leaves whole, but for
   what the rules of every projection keep (`invariants`).

The choice is greedy, by worth a token: worth that depends on what is shown already has no quick exact answer. A
result's worth counts once its step is taken, so no bound is known for how far from the best it may be. Same list,
same choice: ties go to the later step.
"""

import heapq
from collections.abc import Container, Iterable, Iterator, Mapping

import msgspec

from ctxmgr.engine.balanced import identifiers as names
from ctxmgr.engine.conversation import BlockRef, ConversationIndex, Step, Steps
from ctxmgr.engine.invariants import Invariants

MARKER_TOKENS = 30  # about what a marker weighs
LIGHT_TOKENS = 2 * MARKER_TOKENS  # a result up to this is not worth one: it goes with its step
SHOWN = 2.5  # times the worth of what is shown in full now
ERROR_TOKENS = 500  # about what is left of a long error when it is distilled

STEP = BlockRef(-1, -1)  # an offer of a step, not of one of its results


class Worth(msgspec.Struct, frozen=True):
    """What counts for staying: the worth of `names`, and by a step's number what it `stated`. What is in place in
    full now counts SHOWN times: steps by number, and results."""

    names: Mapping[str, float] = {}
    stated: Mapping[int, float] = {}
    steps_in_place: Container[int] = frozenset()
    results_in_place: Container[BlockRef] = frozenset()


class SelectionProblem(msgspec.Struct, frozen=True):
    """What a choice is made by. `budget_tokens` in tokens, for what competes. `protected`: message indices that
    stay as they came; `evicted`: those that left for good and do not compete. `stale`: blocks that are covered by
    later ones; `shortened_weights`: what calls weigh whose arguments are shortened where their step stays, in
    tokens; `protected_results`: results that are never pruned."""

    budget_tokens: int
    protected: Container[int]
    evicted: Container[int]
    worth: Worth
    stale: Container[BlockRef]
    protected_results: Container[BlockRef]
    shortened_weights: dict[BlockRef, int] = {}


class Selection(msgspec.Struct, frozen=True):
    """`dropped_messages` message indices, `pruned_results` result blocks."""

    dropped_messages: frozenset[int]
    pruned_results: frozenset[BlockRef]


def select(
    conversation: ConversationIndex, steps: Steps, problem: SelectionProblem, rules: Invariants
) -> Selection:
    """What stays and what leaves. Linear but for the order of offers."""
    selector = _GreedySelector(conversation, steps, problem)
    selector.keep(rules)
    return selector.choice()


class _StepOffer:
    """What taking a step costs that is not kept yet, and what it would show, up to date with what is shown."""

    __slots__ = ("cost", "last_take", "names", "stated", "value")

    def __init__(self, cost: int, names: set[str], stated: float) -> None:
        self.cost, self.names, self.stated = cost, names, stated
        self.value = 0.0
        self.last_take = -1  # so many takes the names are up to date with


class _GreedySelector:
    def __init__(self, conversation: ConversationIndex, steps: Steps, problem: SelectionProblem) -> None:
        self.conversation, self.steps, self.problem = conversation, steps.steps, problem
        self.messages = conversation.messages
        self.visible_names: set[str] = set()
        self.chosen_steps: set[int] = set()  # steps
        self.full_results: set[BlockRef] = set()  # results
        self.remaining_tokens = problem.budget_tokens
        self.take_count = 0
        self.step_offers: dict[int, _StepOffer] = {}
        self.results: dict[int, list[BlockRef]] = {}  # by message
        for position in steps.fixed_indices:
            self._show(position)
        for number, step in enumerate(self.steps):
            if any(at in problem.protected for at in step.message_indices):
                self._hold(number, step)

    def keep(self, rules: Invariants) -> None:
        """Steps that these rules do not let go stay, if only with markers."""
        must_stay = rules.must_stay(self.conversation)
        for number, step in enumerate(self.steps):
            free = must_stay.isdisjoint(step.message_indices) and rules.may_leave(self.conversation, step)
            if not free and number not in self.chosen_steps:
                self._keep(number, step)

    def _show(self, position: int) -> None:
        self.visible_names.update(names.whole(self.messages[position]))

    def _hold(self, number: int, step: Step) -> None:
        """A step of rule 1: what of it is held, with its call."""
        self.chosen_steps.add(number)
        for position in step.assistant_indices:
            self._show(position)
        for position in step.result_indices:
            whole = position in self.problem.protected or self._holds_call(step)
            self._in_full(place for place in self._results(position) if whole or self._included_with_step(place))

    def _holds_call(self, step: Step) -> bool:
        """Is it the call that is held? Then so is its result, if that is not gone."""
        return any(position in self.problem.protected for position in step.assistant_indices) and not any(
            position in self.problem.protected for position in step.result_indices
        )

    def _results(self, position: int) -> list[BlockRef]:
        found = self.results.get(position)
        if found is None:
            blocks = enumerate(self.messages[position].view.blocks)
            kinds = ("result", "shell")
            found = self.results[position] = [BlockRef(position, at) for at, block in blocks if block.kind in kinds]
        return found

    # offers

    def choice(self) -> Selection:
        offers: list[tuple[float, int, int, BlockRef]] = []  # -density, -step number, cost, what
        for number, step in enumerate(self.steps):
            if number in self.chosen_steps:
                self._offer_results(offers, number, step)
            elif not any(position in self.problem.evicted for position in step.assistant_indices):
                self._offer(offers, number, STEP)
                self._offer_results(offers, number, step)
        while offers:
            _, negative, _, place = heapq.heappop(offers)
            number = -negative
            if (place == STEP and number in self.chosen_steps) or place in self.full_results:
                continue
            worth, cost = self._terms(number, place)
            now = worth / max(1, cost)
            if offers and -now > offers[0][0]:  # it is worth less by now than when it was offered
                heapq.heappush(offers, (-now, -number, cost, place))
                continue
            if worth <= 0 or cost > self.remaining_tokens:
                continue
            self._take(number, place)
            self.remaining_tokens -= cost
        return self._result()

    def _offer(self, offers: list[tuple[float, int, int, BlockRef]], number: int, place: BlockRef) -> None:
        worth, cost = self._terms(number, place)
        if worth > 0:
            heapq.heappush(offers, (-worth / max(1, cost), -number, cost, place))

    def _offer_results(self, offers: list[tuple[float, int, int, BlockRef]], number: int, step: Step) -> None:
        for position in step.result_indices:
            for place in self._results(position):
                if (
                    place not in self.full_results
                    and not self._included_with_step(place)
                    and place not in self.problem.stale
                ):
                    self._offer(offers, number, place)

    def _included_with_step(self, place: BlockRef) -> bool:
        """Does this result come with its step, in full or as an error?"""
        block = self.conversation.block(place)
        if block.kind == "shell":
            return False
        light = self._weight(place) <= LIGHT_TOKENS
        return (
            light
            or block.is_error
            or block.doubtful
            or not block.can_edit
            or place in self.problem.protected_results
        )

    def _weight(self, place: BlockRef) -> int:
        return self.conversation.block_weight(place)

    def _terms(self, number: int, place: BlockRef) -> tuple[float, int]:
        """(worth, cost in tokens) of taking this now, with its step where that is not kept yet."""
        worth, cost, new = 0.0, 0, set[str]()
        if number not in self.chosen_steps:
            step = self._step(number)
            worth, cost, new = step.value * self._times(number, STEP), step.cost, step.names
        if place != STEP:
            worth += self._worth(self._names(place) - self.visible_names - new) * self._times(number, place)
            cost += self._weight(place) - (self._least(place) if self.steps[number].assistant_indices else 0)
        return worth, cost

    def _times(self, number: int, place: BlockRef) -> float:
        worth = self.problem.worth
        shown = number in worth.steps_in_place if place == STEP else place in worth.results_in_place
        return SHOWN if shown else 1.0

    def _step(self, number: int) -> _StepOffer:
        """Of a step that is not kept. Told once, and looked at again only where more is shown since: else a message
        with a thousand calls would be walked for each of them."""
        step = self.step_offers.get(number)
        if step is None:
            step = self.step_offers[number] = self._first(number)
        if step.last_take != self.take_count:
            before = len(step.names)
            step.names -= self.visible_names
            if step.last_take < 0 or len(step.names) != before:
                step.value = step.stated + self._worth(step.names)
            step.last_take = self.take_count
        return step

    def _first(self, number: int) -> _StepOffer:
        step, found, cost = self.steps[number], set[str](), 0
        for position in step.assistant_indices:
            found.update(self._said(position))
            cost += self.messages[position].weight - self._shortens(position)
        for result in (result for position in step.result_indices for result in self._results(position)):
            cost += self._least(result)
            if self._included_with_step(result):
                found |= self._names(result)
        return _StepOffer(cost, found, self.problem.worth.stated.get(number, 0.0))

    def _worth(self, some: Iterable[str]) -> float:
        """The same sum whatever the order of the names."""
        known = self.problem.worth.names
        return sum(sorted(known.get(name, 0.0) for name in some))

    def _said(self, position: int) -> Iterator[str]:
        """The names of an assistant's message, but for those of arguments that will be shortened."""
        for number, found in enumerate(names.of_message(self.messages[position])):
            if (
                not self.problem.shortened_weights
                or BlockRef(position, number) not in self.problem.shortened_weights
            ):
                yield from found

    def _shortens(self, position: int) -> int:
        """What shortening takes from a message that stays, in tokens."""
        shorter = self.problem.shortened_weights
        if not shorter:
            return 0
        calls = (BlockRef(position, number) for number in range(len(self.messages[position].view.blocks)))
        return sum(self._weight(call) - shorter[call] for call in calls if call in shorter)

    def _least(self, place: BlockRef) -> int:
        """What a result costs where only its step is kept."""
        if not self.steps or place in self.full_results:
            return 0
        block = self.conversation.block(place)
        weight = self._weight(place)
        if block.kind == "shell":
            return 0
        if not block.can_edit or place in self.problem.protected_results or weight <= LIGHT_TOKENS:
            return weight
        return min(weight, ERROR_TOKENS if block.is_error or block.doubtful else MARKER_TOKENS)

    def _take(self, number: int, place: BlockRef) -> None:
        self.take_count += 1
        step = self.steps[number]
        if number not in self.chosen_steps:
            self._keep(number, step)
        if place != STEP:
            self._in_full((place,))

    def _keep(self, number: int, step: Step) -> None:
        self.chosen_steps.add(number)
        for position in step.assistant_indices:
            self.visible_names.update(self._said(position))
        for position in step.result_indices:
            self._in_full(place for place in self._results(position) if self._included_with_step(place))

    def _in_full(self, places: Iterable[BlockRef]) -> None:
        for place in places:
            self.full_results.add(place)
            self.visible_names |= self._names(place)

    def _names(self, place: BlockRef) -> frozenset[str]:
        return names.of_message(self.messages[place.message_index])[place.block_index]

    def _result(self) -> Selection:
        dropped: set[int] = set()
        pruned: set[BlockRef] = set()
        for number, step in enumerate(self.steps):
            if number not in self.chosen_steps:
                dropped.update(step.message_indices)
                continue
            for position in step.result_indices:
                pruned.update(place for place in self._results(position) if place not in self.full_results)
        return Selection(frozenset(dropped), frozenset(pruned))
