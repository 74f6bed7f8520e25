"""Jobs: slow calls that block nothing. No IO, no clock.

Rules:

1. A job sees its session as it was in its turn of the queue, and changes nothing in it. So it needs no queue, and
   no event waits for a model.
2. Its request is answered once: with a value, an error, or as cancelled. The end of a job ends the model calls that
   it waits for, because they cost the host money.
3. After its deadline, no model is called. A job that has an answer for that case gives it. Any other job continues
   without the missing completions.
4. Only one job computes at a time, the oldest first. One of the worker's two threads stays free for the queues, so
   that no `context` waits for two long sessions to be cut.
5. A transcript names deadlines and completions by their tickets. Tickets count within their job and are negative,
   so that they do not depend on other work or on the order in which threads finish.
6. No answer of a host to `complete` and `embed` raises. An invalid one (an error, another shape) is a failed
   completion, described without the host's words. One far beyond the requested length is cut: megabytes are no
   summary, and would take seconds to read.
"""

import heapq
import itertools
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from typing import Any

import msgspec

from ctxmgr.model import faults
from ctxmgr.model.api import compaction
from ctxmgr.model.compaction import LATE, Completion, CompletionRequest, CompletionUsage, Stop
from ctxmgr.server.effects import Abandon, Complete, Effect, Record, RunInThread, StartTimer
from ctxmgr.server.peer import Peer
from ctxmgr.session import Await, Embed, Job, Offload
from ctxmgr.wire import RpcError, errors, transcript

TICKETS = 1_000_000  # of one job; a call takes one, and no job makes that many


class RunningJob:
    """A running job. `batch` has the completions that it waits for, None for a missing one."""

    def __init__(self, number: int, job: Job, session_id: str | None, future: "Future[Any]") -> None:
        self.number, self.job, self.session_id, self.future = number, job, session_id, future
        self.tickets = itertools.count(number * TICKETS)
        self.late = False
        self.wake = 0  # ticket of its deadline
        self.batch: list[Completion | None] = []
        self.waiting: deque[tuple[int, CompletionRequest]] = deque()
        self.calls: dict[int, Callable[[], object]] = {}  # place in the batch -> function that ends the call


class Jobs:
    def __init__(self, emit: Callable[[Effect], None], peer: Peer, tickets: Iterator[int], record: bool) -> None:
        """`tickets` are shared with the queues: each number is used once."""
        self._emit, self._peer, self._ticket, self._record = emit, peer, tickets, record
        self._numbers = itertools.count(1)
        self._running: list[RunningJob] = []
        self._waits: dict[int, Callable[[Any], None]] = {}
        self._works: list[tuple[int, int, RunningJob, Offload]] = []  # by age of their jobs
        self._working = False

    @property
    def idle(self) -> bool:
        return not self._running

    def concern(self, session_id: str) -> bool:
        """Whether a job of this session is running."""
        return any(running.session_id == session_id for running in self._running)

    def start(self, job: Job, session_id: str | None, future: "Future[Any]") -> None:
        """`future` gets the value, or RpcError; cancelling it ends the job."""
        running = RunningJob(next(self._numbers), job, session_id, future)
        self._running.append(running)
        future.add_done_callback(lambda done: self._end(running))
        if job.deadline_ms is not None:
            running.wake = self._wait(-next(running.tickets), partial(self._expired, running))
            self._emit(StartTimer(running.wake, job.deadline_ms))
        self._progress(running, "begin")
        self._step(running, None)

    def resume(self, ticket: int, value: Any) -> bool:
        """Delivers what a job waits for. False if no job has this ticket."""
        wait = self._waits.pop(ticket, None)
        if wait is not None:
            wait(value)
        return wait is not None

    def session_ended(self, session_id: str) -> None:
        for running in list(self._running):
            if running.session_id == session_id:
                self._fail(running, RpcError(errors.REQUEST_FAILED, "the session has ended"))

    def end_waiting(self) -> None:
        """Ends jobs that wait for a model, because the connection ends. Jobs that compute may finish."""
        for running in list(self._running):
            if running.calls:
                self._fail(running, RpcError(errors.REQUEST_FAILED, "the connection is closing"))

    # steps

    def _step(self, running: RunningJob, value: Any) -> None:
        """Runs the steps until they wait for something else."""
        steps = running.job.routine
        try:
            failed = isinstance(value, BaseException)
            wanted = steps.throw(value) if failed else steps.send(value)
            while not isinstance(wanted, Offload) and (running.late or wanted == ()):
                wanted = steps.send(tuple(LATE for _ in wanted) if isinstance(wanted, tuple) else None)
            self._request(running, wanted)
        except StopIteration as stop:
            self._settle(running, stop.value)
        except Exception as fault:  # noqa: BLE001  it becomes the error answer
            self._fail(running, fault)

    def _request(
        self, running: RunningJob, wanted: Offload | Embed | Await | tuple[CompletionRequest, ...]
    ) -> None:
        if isinstance(wanted, Offload):
            heapq.heappush(self._works, (running.number, next(self._ticket), running, wanted))
            self._work_on()
        elif isinstance(wanted, Embed):
            self._embed(running, wanted)
        elif isinstance(wanted, Await):
            self._await(running, wanted.future)
        else:
            running.batch = [None] * len(wanted)
            running.waiting = deque(enumerate(wanted))
            self._ask_more(running)

    def _await(self, running: RunningJob, future: "Future[Any]") -> None:
        """Waits for the future like for a call: the deadline, or the end of the connection, ends the wait."""

        def nothing() -> None:
            """Does nothing, because there is no call to end."""

        def ended(_: "Future[Any]") -> None:
            if running.calls.get(0) is nothing:
                del running.calls[0]
                self._step(running, None)

        running.batch, running.calls[0] = [], nothing
        future.add_done_callback(ended)

    def _work_on(self) -> None:
        """Starts the next work of the oldest job, unless one is running."""
        while self._works and not self._working:
            _, ticket, running, work = heapq.heappop(self._works)
            if running in self._running:
                self._working = True
                self._emit(RunInThread(self._wait(ticket, partial(self._worked, running)), work.run))

    def _worked(self, running: RunningJob, value: Any) -> None:
        self._working = False
        self._step(running, value)
        self._work_on()

    def _wait(self, ticket: int, then: Callable[[Any], None]) -> int:
        self._waits[ticket] = then
        return ticket

    # models

    def _ask_more(self, running: RunningJob) -> None:
        while running.waiting and len(running.calls) < running.job.runner.concurrency:
            index, ask = running.waiting.popleft()
            if running.job.runner.kind == "endpoint":
                self._ask_endpoint(running, index, ask)
            else:
                self._ask_host(running, index, ask)

    def _ask_host(self, running: RunningJob, index: int, ask: CompletionRequest) -> None:
        prompt, instruction = ("", ask.prompt) if ask.on_context else (ask.prompt, None)
        params = compaction.CompleteParams(
            running.session_id, ask.purpose, ask.system, prompt, ask.max_tokens, instruction
        )
        self._hear(
            running,
            index,
            self._peer.request("complete", params),
            lambda done: self._completed(running, index, ask, _completion(done, ask.max_tokens)),
        )

    def _ask_endpoint(self, running: RunningJob, index: int, ask: CompletionRequest) -> None:
        endpoint = running.job.runner.endpoint
        assert endpoint is not None
        ticket = -next(running.tickets)
        self._wait(ticket, partial(self._came, running, index, ask, ticket))
        running.calls[index] = partial(self._abandon, ticket)
        self._emit(Complete(ticket, endpoint, ask))

    def _abandon(self, ticket: int) -> None:
        self._waits.pop(ticket, None)
        self._emit(Abandon(ticket))

    def _came(self, running: RunningJob, index: int, ask: CompletionRequest, ticket: int, value: Any) -> None:
        """Handles the answer of the endpoint, or a fault of the device."""
        if not isinstance(value, Completion):
            value = Completion(stop="error", fault=f"internal fault: {faults.cause(value)}")
        if self._record:
            self._emit(Record(transcript.completed(ticket, value)))
        self._completed(running, index, ask, value)

    def _completed(self, running: RunningJob, index: int, ask: CompletionRequest, completion: Completion) -> None:
        running.calls.pop(index, None)
        running.batch[index] = completion
        self._progress(running, "report", ask.label or ask.purpose)
        self._ask_more(running)
        if not running.waiting and not running.calls:
            self._step(running, tuple(running.batch))

    def _embed(self, running: RunningJob, wanted: Embed) -> None:
        future = self._peer.request("embed", compaction.EmbedParams(running.session_id, wanted.texts))
        running.batch = []
        self._hear(
            running,
            0,
            future,
            lambda done: self._step(running, _vectors(done, len(wanted.texts))),
        )

    def _hear(
        self, running: RunningJob, index: int, future: "Future[Any]", then: Callable[["Future[Any]"], None]
    ) -> None:
        """Handles the host's answer, unless the call was ended."""
        running.calls[index] = future.cancel

        def deliver(done: "Future[Any]") -> None:
            if not done.cancelled():
                running.calls.pop(index, None)
                then(done)

        future.add_done_callback(deliver)

    # ends

    def _expired(self, running: RunningJob, _: Any) -> None:
        if self._record:
            self._emit(Record(transcript.woke(running.wake)))
        if running.job.at_deadline is not None:
            self._settle(running, running.job.at_deadline)
            return
        running.late = True
        if running.calls:
            self._end_calls(running)
            self._step(running, tuple(completion or LATE for completion in running.batch) or None)

    def _end_calls(self, running: RunningJob) -> None:
        calls, running.calls = running.calls, {}
        running.waiting.clear()
        for end in calls.values():
            end()

    def _settle(self, running: RunningJob, value: Any) -> None:
        if not running.future.done():
            running.future.set_result(value)

    def _fail(self, running: RunningJob, fault: BaseException) -> None:
        if not running.future.done():
            running.future.set_exception(fault)

    def _end(self, running: RunningJob) -> None:
        """Cleans up after the future is done in any way."""
        if running not in self._running:
            return
        self._running.remove(running)
        self._waits.pop(running.wake, None)  # would keep the ended job in memory until the deadline
        self._end_calls(running)
        running.job.routine.close()
        self._progress(running, "end")

    def _progress(self, running: RunningJob, kind: Any, message: str | None = None) -> None:
        token = running.job.token
        if token is not None:
            value = compaction.ProgressValue(kind, message)
            self._peer.notify("$/progress", compaction.ProgressParams(token, value))


# the host's answers

# as spelled by pi and by OpenAI's, Anthropic's and Google's APIs
STOPS: dict[str, Stop] = {
    "stop": "stop",
    "end_turn": "stop",
    "endTurn": "stop",
    "stop_sequence": "stop",
    "length": "length",
    "max_tokens": "length",
    "maxTokens": "length",
    "toolUse": "toolUse",
    "tool_use": "toolUse",
    "tool_calls": "toolUse",
    "aborted": "cancelled",
    "cancelled": "cancelled",
}

CHARACTERS_A_TOKEN = 16  # with slack, as an endpoint's answers are cut (`ctxmgr.devices.endpoint.apis`)
SPARE_CHARACTERS = 4_096


def _completion(done: "Future[Any]", max_tokens: int) -> Completion:
    """The result of a `complete` request for this many tokens that has ended and that we did not cancel."""
    fault = done.exception()
    if fault is not None:
        code = getattr(fault, "code", None)
        return Completion(
            stop="error", fault=f"the host answered error {code}" if code else "the host gave no answer"
        )
    try:
        answer = msgspec.convert(done.result(), compaction.CompleteResult)
    except msgspec.ValidationError:
        return Completion(stop="error", fault="the host's answer has not the shape {text, stopReason, usage?}")
    stop, spent = STOPS.get(answer.stop_reason, "error"), _spent(answer.usage)
    limit = max_tokens * CHARACTERS_A_TOKEN + SPARE_CHARACTERS
    if stop == "stop" and len(answer.text) > limit:
        return Completion(answer.text[:limit], "length", spent)
    return Completion(answer.text, stop, spent, "the model failed" if stop == "error" else "")


def _vectors(done: "Future[Any]", count: int) -> list[list[float]] | None:
    """The vectors of an `embed` request. None unless they are `count` of one length."""
    if done.exception() is not None:
        return None
    try:
        vectors = msgspec.convert(done.result(), compaction.EmbedResult).vectors
    except msgspec.ValidationError:
        return None
    if len(vectors) != count or len({len(vector) for vector in vectors}) > 1 or not all(vectors):
        return None
    return vectors


def _spent(usage: Any) -> CompletionUsage | None:
    """Input includes tokens read from and written to a cache."""
    if not isinstance(usage, dict):
        return None

    def number(name: str) -> int:
        value = usage.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return 0
        return int(value) if 0 <= value < 2**53 else 0

    return CompletionUsage(number("input") + number("cacheRead") + number("cacheWrite"), number("output"))
