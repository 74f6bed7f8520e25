"""Finds the conversation that a list belongs to.

1. A program that names its conversation has one with that name, and one for each sub-agent. Another list under the
   same name, which shares no message with the last one and does not continue from its summary, is beside the
   conversation, such as a search by the program itself. While it is short it passes unchanged; then it becomes a
   conversation of its own.
2. All other lists are matched by content: the list begins like the conversation, up to the first user's message. Of
   several such conversations it is the one that the list continues; without one, it is new. So two programs with
   the same first words separate at the first answer. A program that changes its API gets another conversation,
   because a list is in the shape of one API.
3. The key is the session's id in ctxmgr. A conversation that continues later, through another proxy, finds its
   saved state by the name that the program gave, or by where its last list ended (`ListEnds`). The key reveals
   nothing of the conversation.
4. The program's newest cache mark says how long the provider keeps a prefix; what the provider reports of its cache
   writes has priority. A change is reported, and is not another model. A call without a mark changes nothing.
5. A conversation that was unused for a while is closed; its snapshot stays.

`ListEnds` is the file of list ends:

6. A line of the file is a conversation's key, the number of messages in its last list, and their digest. The last
   line of a key counts. It reveals nothing of the content.
7. A list continues the longest of the stored lists that it begins with.
8. Proxies share the file: each appends lines. A file that has grown is rewritten with the newest keys.
9. A disk fault stops nothing: conversations then begin anew.
"""

import asyncio
import contextlib
import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Any

import msgspec

from ctxmgr.client import AsyncClient
from ctxmgr.holdout import HoldoutCalls
from ctxmgr.model.api import lifecycle
from ctxmgr.proxy import caching, marks
from ctxmgr.proxy.apis import ListCall
from ctxmgr.proxy.body import member
from ctxmgr.proxy.conversation import ProgramConversation
from ctxmgr.proxy.enrolment import Enrolment
from ctxmgr.proxy.settings import SettingsFor
from ctxmgr.settings import ProgramSettings

FILE = "proxy-conversations"
MOST_KEYS = 1_000
MOST_LINES = 10_000
DIGEST_BYTES = 8
MODE, FOLDER_MODE = 0o600, 0o700
FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)

End = tuple[int, str]  # number of messages, and their digest


def digest(parts: Iterable[bytes]) -> str:
    hasher = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for part in parts:
        _add(hasher, part)
    return hasher.hexdigest()


class ListEnds:
    """The list ends in one state directory."""

    def __init__(self, state_dir: str) -> None:
        self._path = Path(state_dir) / FILE
        self._lines = 0  # of the file, as far as known here

    def find(self, base: str, messages: Sequence[bytes], taken: Collection[str]) -> str | None:
        """The key of the conversation with this base that the list continues, except those in `taken`; None if
        there is none.
        """
        ends = {key: end for key, end in self._read().items() if key.startswith(f"{base}.") and key not in taken}
        wanted = {count for count, _ in ends.values()}
        digests: dict[int, str] = {}
        hasher = hashlib.blake2b(digest_size=DIGEST_BYTES)
        for number, raw in enumerate(messages, 1):
            _add(hasher, raw)
            if number in wanted:
                digests[number] = hasher.hexdigest()
        fitting = [(count, key) for key, (count, digest) in ends.items() if digests.get(count) == digest]
        return max(fitting)[1] if fitting else None

    def note(self, key: str, messages: Sequence[bytes]) -> None:
        """Stores the end of the conversation's last list."""
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
            self._append(self._path, [(key, (len(messages), digest(messages)))])
            self._lines += 1
            if self._lines >= MOST_LINES:
                self._shorten()

    def _read(self) -> dict[str, End]:
        """List ends by key, newest last."""
        ends: dict[str, End] = {}
        try:
            lines = self._path.read_text("utf-8", "replace").splitlines()
        except OSError:
            return {}
        for line in lines:
            parts = line.split(" ")
            if len(parts) == 3 and parts[1].isdecimal():
                ends.pop(parts[0], None)
                ends[parts[0]] = (int(parts[1]), parts[2])
        self._lines = len(lines)
        return ends

    def _shorten(self) -> None:
        ends = self._read()
        beside = self._path.with_name(f"{FILE}.{os.getpid()}")
        beside.unlink(missing_ok=True)
        self._append(beside, [*ends.items()][-MOST_KEYS:])
        beside.replace(self._path)
        self._lines = min(len(ends), MOST_KEYS)

    def _append(self, path: Path, ends: Sequence[tuple[str, End]]) -> None:
        text = "".join(f"{key} {count} {digest}\n" for key, (count, digest) in ends)
        file = os.open(path, FLAGS, MODE)
        try:
            os.write(file, text.encode())
        finally:
            os.close(file)


def _add(hasher: "hashlib.blake2b", part: bytes) -> None:
    hasher.update(len(part).to_bytes(8, "big"))
    hasher.update(part)


IDLE_MS = 60 * 60_000
MOST = 256  # open conversations; the least recently used is closed first
LONGEST_NAME = 128  # characters of a name given by a program; a longer one is replaced by its digest
SHORT = 2  # messages of a list beside a named conversation that passes unchanged
QUIET_MS = 20_000  # without a call
STATUS_SECONDS = 2.0  # to get the status of all sessions, at the end
KEY_BYTES = 4  # to distinguish conversations with the same beginning


class Conversations:
    """The conversations of one proxy. `now_ms`: milliseconds since 1970. `holdout_calls`: None if there can be no
    holdout. `cwd`: the folder that the program works in.
    """

    def __init__(
        self,
        client: AsyncClient,
        settings_for: SettingsFor,
        now_ms: Callable[[], float],
        ends: ListEnds,
        holdout_calls: HoldoutCalls | None = None,
        cwd: str | None = None,
    ) -> None:
        self._client, self._settings_for, self.now_ms, self._ends = client, settings_for, now_ms, ends
        self._holdout_calls, self._cwd = holdout_calls, cwd
        self._conversations: dict[str, list[ProgramConversation]] = {}

    def all(self) -> list[ProgramConversation]:
        return [conversation for conversations in self._conversations.values() for conversation in conversations]

    def of(self, call: ListCall) -> ProgramConversation | None:
        """The conversation of this list; a new one if there is none, None if the list is beside one. Does not
        wait.
        """
        base = key_of(call)
        known = self._conversations.setdefault(base, [])
        conversation = _best([one for one in known if one.api is call.api], call)
        if conversation is None and known and call.speaker.conversation and len(call.body.messages) <= SHORT:
            return None
        if conversation is None:
            conversation = self._begun(base, known, call)
            conversation.began_ms = self.now_ms()
            known.append(conversation)
        else:
            if self._has_lost_cache(conversation, call):
                conversation.wake(is_lost=True)
            self._follow(conversation, call)
        conversation.used_ms = self.now_ms()
        self._let_go()
        return conversation

    def named(self, call: ListCall) -> ProgramConversation | None:
        """The conversation that the program names in a call that does not show its list."""
        known = self._conversations.get(key_of(call), []) if call.speaker.conversation else []
        return max(known, key=lambda conversation: conversation.used_ms, default=None)

    async def caches(
        self, listed: Sequence[ProgramConversation], costs: Collection[ProgramConversation]
    ) -> list[dict[str, Any]]:
        """The status of the provider's cache for each of `listed`; for those in `costs`, with the cost of a call
        once the cache has ended. All are empty if it takes too long.
        """
        try:
            async with asyncio.timeout(STATUS_SECONDS):
                return await asyncio.gather(*(each.cache(each in costs) for each in listed))
        except TimeoutError:
            return [{} for _ in listed]

    async def cache_lines(self) -> list[str]:
        """If the cache of the conversation used last is large, a sentence on when it ends; then one sentence for
        each conversation whose provider persistently read too little from its cache.
        """
        listed = sorted(
            self.all(), key=lambda conversation: (not conversation.speaker.is_subagent, conversation.used_ms)
        )
        told = [*zip(listed, await self.caches(listed, listed[-1:]), strict=True)]
        gaps = [f"{conversation.key}: {cache['gap']}" for conversation, cache in told if cache.get("gap")]
        endings = [caching.ending(cache, self.now_ms()) for _, cache in told[-1:] if caching.is_large(cache)]
        return [*filter(None, endings), *gaps]

    async def pause(self, within_ms: float) -> str:
        """When the prompt cache of the conversation used last ends, and what the next call costs then. "" during a
        call, if the cache is small, and if it ends later than `within_ms` or has ended.
        """
        main = [one for one in self.all() if not one.speaker.is_subagent] or self.all()
        newest = max(main, key=lambda conversation: conversation.used_ms, default=None)
        if newest is None or newest.lock.locked() or newest.open_calls:
            return ""
        if newest.used_ms >= self.now_ms() - QUIET_MS:
            return ""
        (cache,) = await self.caches([newest], [newest])
        left_ms = (cache.get("expiresAt") or 0) - self.now_ms()
        return caching.ending(cache, self.now_ms()) if caching.is_large(cache) and 0 < left_ms <= within_ms else ""

    async def quiet(self) -> dict[str, dict[str, Any]]:
        """What `caches` returns, by key, for conversations without a recent call. Active ones are not delayed."""
        listed = [conversation for conversation in self.all() if conversation.used_ms < self.now_ms() - QUIET_MS]
        told = zip(listed, await self.caches(listed, listed), strict=True)
        return {conversation.key: cache for conversation, cache in told if cache}

    async def busts_counted(self) -> None:
        """Waits briefly until the requested counts of busts have arrived."""
        asking = [one.asking_busts for one in self.all() if one.asking_busts is not None]
        if asking:
            await asyncio.wait(asking, timeout=STATUS_SECONDS)

    def _has_lost_cache(self, conversation: ProgramConversation, call: ListCall) -> bool:
        """Whether this call finds nothing in the provider's cache: another model, or too long a pause."""
        lifetime_ms = marks.LIFETIMES_MS["1h" if conversation.is_long_lived else "5m"]
        return conversation.model != call.model or self.now_ms() - conversation.used_ms > lifetime_ms

    def _follow(self, conversation: ProgramConversation, call: ListCall) -> None:
        """Reports a change of the model or its settings once (rule 4)."""
        lifetime_ms = marks.lifetime_ms(call)
        is_long_lived = conversation.is_long_lived if lifetime_ms is None else marks.is_long(lifetime_ms)
        is_long_lived = is_long_lived if conversation.heard_long is None else conversation.heard_long
        before = conversation.model, conversation.window_tokens, conversation.is_long_lived
        if before == (call.model, call.window_tokens, is_long_lived):
            return
        settings = self.settings_of(call)
        conversation.model, conversation.window_tokens = call.model, call.window_tokens
        conversation.is_long_lived = is_long_lived
        conversation.settings = settings
        conversation.tell(conversation.session.model_select(_model(call, settings, is_long_lived)))

    def settings_of(self, call: ListCall) -> ProgramSettings:
        settings = self._settings_for(call.speaker.program, call.model, call.speaker.is_subagent)
        if call.window_tokens and settings.origins["window"].kind in ("model", "default"):
            settings = msgspec.structs.replace(settings, window=call.window_tokens)
        return settings

    def _begun(self, base: str, known: list[ProgramConversation], call: ListCall) -> ProgramConversation:
        settings = self.settings_of(call)
        key = base
        if call.speaker.conversation and any(other.key == base for other in known):
            key = f"{base}.{digest(_beginning(call))}"
        if not call.speaker.conversation:
            messages = [call.api.bare(raw) for raw in call.body.messages]
            taken = [other.key for other in known]
            key = self._ends.find(base, messages, taken) or f"{base}.{token_hex(KEY_BYTES)}"
        if any(other.key == key for other in known):  # API changed (rule 2)
            key = f"{key}.{call.format}"
        is_long_lived = marks.is_long(marks.lifetime_ms(call))
        session = self._client.opened(key, _model(call, settings, is_long_lived), cwd=self._cwd, format=call.format)
        begun = ProgramConversation(key, session, call, settings, is_long_lived)
        if settings.policy:
            begun.tell(session.set_policy(settings.policy))
        if not call.speaker.conversation:
            begun.on_list = partial(self._ends.note, key)
        self._enrol(begun, call)
        return begun

    def _enrol(self, begun: ProgramConversation, call: ListCall) -> None:
        """Applies rules 1 and 2 of `enrolment`."""
        calls, share = self._holdout_calls, begun.settings.holdout
        if calls is None:
            return
        session_id = session_of(call) or begun.key
        if share:
            arm = calls.assigned(session_id, share)
            begun.enrolment = Enrolment(calls, session_id, begun.key, arm)
        if begun.is_held_out or calls.arm(session_id) == "heldOut":
            begun.tell(begun.set_paused(begun.is_held_out))

    def _let_go(self) -> None:
        """Closes unused conversations (rule 5)."""
        oldest = sorted(self.all(), key=lambda conversation: conversation.used_ms)
        idle = [conversation for conversation in oldest if conversation.used_ms < self.now_ms() - IDLE_MS]
        beyond = oldest[: max(0, len(oldest) - MOST)]
        for conversation in dict.fromkeys([*idle, *beyond]):
            if not conversation.lock.locked():
                for some in self._conversations.values():
                    if conversation in some:
                        some.remove(conversation)
                conversation.tell(conversation.session.end())
        self._conversations = {base: some for base, some in self._conversations.items() if some}


def _model(call: ListCall, settings: ProgramSettings, is_long_lived: bool) -> lifecycle.Model:
    """The model of this call. Configured prices are in the policy; the session knows published prices, and the
    default lifetime of a cached prefix.
    """
    lifetime_ms = marks.LIFETIMES_MS["1h"] if is_long_lived else None
    return lifecycle.Model(call.model, settings.window, cache_ttl_ms=lifetime_ms)


def session_of(call: ListCall) -> str:
    """The id of the conversation that the program names, without sub-agents; "" if it names none."""
    speaker = call.speaker
    named = speaker.parent or speaker.conversation
    return f"{_short(speaker.program)}:{_short(named)}" if named else ""


def key_of(call: ListCall) -> str:
    """The base of the conversation's key (rules 1 and 2)."""
    speaker = call.speaker
    if speaker.conversation:
        parts = [speaker.program, speaker.conversation, *([speaker.agent] if speaker.agent else [])]
        return ":".join(_short(part) for part in parts)
    return f"{speaker.program or 'program'}:{digest(_beginning(call))}"


def _best(known: list[ProgramConversation], call: ListCall) -> ProgramConversation | None:
    messages = call.body.messages
    if not call.speaker.conversation:
        going_on = (conversation for conversation in known if conversation.goes_on(messages))
        return max(going_on, key=lambda conversation: conversation.length, default=None)
    by_right: list[Callable[[ProgramConversation], bool]] = [
        lambda conversation: conversation.begins_as(messages),
        lambda conversation: conversation.gives_summary and conversation.begins_anew(messages, call),
        lambda conversation: conversation.begins_anew(messages, call),
        lambda conversation: conversation.shares(messages),
    ]
    return next((conversation for is_it in by_right for conversation in known if is_it(conversation)), None)


def _beginning(call: ListCall) -> list[bytes]:
    """The format, and the messages up to the first user's."""
    parts: list[bytes] = [call.format.encode()]
    for raw in call.body.messages:
        parts.append(call.api.bare(raw))
        if member(raw, "role") == b'"user"':
            break
    return parts


def _short(name: str) -> str:
    """A part of a key; a name that is too long or could be read as two parts is replaced by its digest."""
    plain_name = len(name) <= LONGEST_NAME and name.isprintable() and ":" not in name
    return name if plain_name else digest([name.encode("utf-8", "replace")])
