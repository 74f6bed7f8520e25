"""Drives many sessions through many lives of a sidecar, and compares what the next life knows with what was
answered.

1. The next life knows each answered event: `seq` is at least the last one answered, and at most the last one sent.
   At the end each file is in its session's ledger, at least as new as the last answered event about it.
2. In a life whose disk fails, events count as saved once the disk works again and the session has received one
   more. A session that starts with a note that it is not saved is skipped in that life; its state stays for the
   next one.
3. Each request is answered, and each life ends; otherwise `Hung` is raised. A hostile line affects only itself.
4. Memory does not grow: a session reads the files of one project repeatedly, and another file now and then, so its
   state hardly grows. When all sessions have ended, memory is close to what it was before them.
"""

import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import mean
from time import sleep
from typing import Any

import msgspec

from scripts.soaking.hostile import hostile_line
from scripts.soaking.life import Fields, Life

MODEL = {"id": "m", "contextWindow": 200_000}
UNDER_WAY = 32
LIST_MESSAGES = 40  # then the host compacts
ENDS = ("kill", "kill", "term", "torn", "close")
FAULTY_EVERY = 5  # lives
FILES = 40  # of a project
OTHER_FILE_EVERY = 20  # events
GROWTH = 1.15  # limit of memory, the last third of lives over the second
LEFT = 1.2  # limit of memory after all sessions have ended, over that after the first has
SETTLES = 20  # checks of memory, a quarter of a second apart, until it has dropped


class Plan(msgspec.Struct, frozen=True):
    events: int = 100_000
    sessions: int = 100
    life_events: int = 2_000
    seed: int = 1
    hostile_every: int = 50  # events


class Outcome(msgspec.Struct):
    """`lost`: a sentence for each answered event that is not known. `unsaved`: number of sessions that said so.
    `memory`: bytes at the end of each life. `left`: memory after all sessions have ended, over that at the start.
    """

    answered: int = 0
    refused: int = 0
    lives: int = 0
    kills: int = 0
    hostile: int = 0
    unsaved: int = 0
    lost: list[str] = []
    memory: list[int] = []
    left: float = 1.0

    @property
    def growth(self) -> float:
        """Memory in the last third of lives over the second; 1.0 with too few lives."""
        if len(self.memory) < 3:
            return 1.0
        third = len(self.memory) // 3
        return mean(self.memory[-third:]) / mean(self.memory[third : 2 * third])

    @property
    def well(self) -> bool:
        return not self.lost and self.growth <= GROWTH and self.left <= LEFT


class Session:
    """What a host knows of a session. `seq`: of the last answered event. `sent`: number of unanswered events
    since.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.seq = self.sent = self.number = 0
        self.messages: list[Fields] = []
        self.paths: dict[str, int] = {}  # of answered events: the number of the newest

    def turn_end(self) -> tuple[Fields, str]:
        """The event, and the file that it is about."""
        self.number += 1
        other = self.number % OTHER_FILE_EVERY == 0
        path = f"src/{self.name}_{self.number if other else self.number % FILES}.py"
        call = {"type": "toolCall", "id": f"c{self.number}", "name": "read", "arguments": {"path": path}}
        reply = {"role": "assistant", "content": [call], "stopReason": "toolUse", "timestamp": self.number}
        text = [{"type": "text", "text": f"line {self.number}\n" * 20}]
        result = {"role": "toolResult", "toolCallId": call["id"], "toolName": "read", "content": text}
        result |= {"isError": False, "timestamp": self.number}
        self.messages += [reply, result]
        usage = {"input": 9, "output": 9, "cacheRead": 900 + self.number, "cacheWrite": 9}
        params = {"sessionId": self.name, "message": reply, "toolResults": [result], "usage": usage}
        return params, path

    def context(self) -> Fields:
        begin = {"role": "user", "content": "Please look into it.", "timestamp": 0}
        return {"sessionId": self.name, "messages": [begin, *self.messages]}

    def compaction(self) -> Fields:
        self.messages.clear()
        entry = {"id": f"e{self.number}", "summary": "## Goal\nLook into it.\n"}
        return {"sessionId": self.name, "compactionEntry": entry}


def soak(plan: Plan, say: Callable[[str], None] = lambda line: None) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="ctxmgr-soak-") as directory:
        return _Soak(plan, Path(directory), say).run()


class _Soak:
    def __init__(self, plan: Plan, state_dir: Path, say: Callable[[str], None]) -> None:
        self._plan, self._state_dir, self._say = plan, state_dir, say
        self._chance = random.Random(plan.seed)
        self._sessions = [Session(f"session-{number}") for number in range(plan.sessions)]
        self._outcome = Outcome()
        self._usable: list[Session] = []  # in this life

    def run(self) -> Outcome:
        while self._outcome.answered < self._plan.events:
            self._life()
        self._check_ledgers()
        self._check_memory()
        return self._outcome

    def _life(self) -> None:
        self._outcome.lives += 1
        faulty = self._outcome.lives % FAULTY_EVERY == 0
        life = self._begun(f"{self._plan.seed}/{self._outcome.lives}" if faulty else None)
        for _ in range(min(self._plan.life_events, self._plan.events - self._outcome.answered)):
            self._event(life, self._chance.choice(self._usable))
            if self._chance.randrange(self._plan.hostile_every) == 0:
                life.send(hostile_line(self._chance))
                self._outcome.hostile += 1
            self._take(life.answers(UNDER_WAY))
        self._outcome.memory.append(life.memory())
        if faulty:  # rule 2
            self._take(life.answers(0))
            life.mend()
            for session in self._usable:
                self._event(life, session)
                self._take(life.answers(UNDER_WAY))
            self._take(life.answers(0))
        how = self._chance.choice(ENDS)
        self._outcome.kills += how == "kill"
        self._take(life.end(how))

    def _begun(self, faulty: str | None) -> Life:
        life = self._lived(faulty)
        self._usable = []
        for session in self._sessions:
            answer = life.call("session_start", {"sessionId": session.name, "model": MODEL})
            self._started(session, answer)
        return life

    def _lived(self, faulty: str | None) -> Life:
        """A life, initialized. `faulty`: a seed of disk faults, which occur until `mend`."""
        program = ["ctxmgr"] if faulty is None else ["scripts.soaking.faulty", faulty]
        life = Life(*program, "serve", "--state-dir", str(self._state_dir))
        policy = {"tokenizer": "estimate", "preset": "balanced"}
        life.call("initialize", {"protocolVersion": "1.1", "policy": policy})
        return life

    def _started(self, session: Session, answer: Fields) -> None:
        """Rule 1."""
        seq = answer["result"]["seq"] if "result" in answer else -1
        if seq < session.seq and any("is not saved" in note for note in answer["result"]["status"]["notes"]):
            self._outcome.unsaved += 1  # rule 2
            return
        self._usable.append(session)
        if not session.seq <= seq <= session.seq + session.sent:
            sent = f"{session.seq} answered and {session.sent} under way"
            self._outcome.lost.append(f"{session.name}: {seq} events are known, of {sent}")
        session.seq, session.sent = max(seq, 0), 0

    def _event(self, life: Life, session: Session) -> None:
        if len(session.messages) > LIST_MESSAGES:
            session.sent += 1
            life.ask("session_compact", session.compaction(), (session, "", 0))
        elif self._chance.randrange(10) == 0:
            life.ask("context", session.context(), (session, "", 0))
        else:
            params, path = session.turn_end()
            session.sent += 1
            life.ask("turn_end", params, (session, path, session.number))

    def _take(self, answers: list[tuple[Any, Fields]]) -> None:
        for (session, path, number), answer in answers:
            before = self._outcome.answered
            self._outcome.answered += 1
            if "result" not in answer:
                self._outcome.refused += 1
                self._outcome.lost.append(f"{session.name}: {answer['error']['message']}")
                continue
            seq = answer["result"].get("seq", session.seq)
            session.sent -= seq - session.seq
            session.seq = seq
            if path:
                session.paths[path] = max(number, session.paths.get(path, 0))
            if before // 10_000 != self._outcome.answered // 10_000:
                self._say(self.line())

    def line(self) -> str:
        done = self._outcome
        memory = done.memory[-1] / (1 << 20) if done.memory else 0
        return f"{done.answered:,} answered, {done.lives} lives, {len(done.lost)} lost, {memory:.0f} MB"

    def _check_ledgers(self) -> None:
        life = self._begun(None)
        for session in self._sessions:
            answer = life.call("getLedger", {"sessionId": session.name})
            known = {fact["text"]: fact["at"] for fact in answer["result"]["facts"] if fact["slot"] == "file"}
            missing = [path for path, number in session.paths.items() if known.get(path, 0) < number]
            if missing:
                count = f"{len(missing)} answered events are in no ledger"
                self._outcome.lost.append(f"{session.name}: {count}: {missing[0]}")
        life.end("close")

    def _check_memory(self) -> None:
        """Rule 4. Waits a moment for the work after an answer."""
        life = self._lived(None)
        self._come_and_go(life, self._sessions[:1])
        start = life.memory()
        self._come_and_go(life, self._sessions)
        for _ in range(SETTLES):
            self._outcome.left = life.memory() / start
            if self._outcome.left <= LEFT:
                break
            sleep(0.25)
        life.end("close")

    def _come_and_go(self, life: Life, sessions: list[Session]) -> None:
        for method in ("session_start", "getLedger", "session_shutdown"):
            for session in sessions:
                params = {"sessionId": session.name}
                life.call(method, {**params, "model": MODEL} if method == "session_start" else params)
