"""A script of a host: one step a line, in the order in which a host does them.

    # ctxmgr asks for a compaction before the window is full
    > initialize capabilities={requestCompaction: "whenIdle"}
    > session_start window=40000
    user "Mend the report."
    > context
    < {unchanged: true, ...}
    assistant "I look." call read path=report.py
    result "def report(): ..."
    >> turn_end tokens=35000
    ? requestCompaction {reason: "threshold", tokens: >= 35000, ...}
    = {accepted: true}

A step ends with its line, or where its brackets close. `#` after white space starts a comment.

What is said
    > METHOD PARAMS          a request. Its answer is awaited where it is first needed, and must not be an error
                             unless `< error` says so
    >> METHOD PARAMS         a notification
    < PATTERN                the answer must match; alone: an answer, whatever it holds
    < error CODE PATTERN     it must be an error; CODE and PATTERN (of the error object) may be left out
    ? METHOD PATTERN         a request of ctxmgr must come; the oldest of this method that is not taken yet
    ?? METHOD PATTERN        a notification of ctxmgr must come; those that no line names are passed over
    = VALUE                  answers the last `?`;  = error CODE "text"  refuses it
    answer METHOD VALUE      answers by itself each request of this method that no line has taken, from here on
    cancel                   cancels the open request (`$/cancelRequest`); its answer is still awaited
    raw TEXT                 the rest of the line as it is, as one message; `<` takes what answers it
    > @x, < @x, ? @x, = @x, cancel @x     several at once: each line means the one with this name

What a line leaves out is filled in
    PARAMS are {name: value, ...} or name=value ...; after = a word needs no quotes
    initialize      protocolVersion "1.0"; stateDir, a directory of this run
    session_start   sessionId "s"; every method that needs a sessionId gets the last one
    context         messages: the list so far; `append=new`: only what is new since the last answer to `context`
    turn_end        message and toolResults: the last reply of the list and what follows it
    window=N        model={id: "model-1", contextWindow: N};  tokens=N (turn_end)  usage={tokens: N}

The list of messages (times and call ids count up)
    user "text"        summary "text"        assistant "text" call TOOL name=value ... call TOOL ...
    result "text"      result error "text"   (of the oldest call that has none)
    message VALUE      adds a message as it is;  messages VALUE  sets the whole list

Values and patterns
    JSON; names of members need no quotes; "text" * 400; "${name} in a text"
    $          the last answer, or its error;  $.report.tokens, $.messages[-1], $.facts[2:], $["odd name"]
    $name      what `let` named;  $list, $entries (the list as a session tree), $stateDir
    ...        in a pattern: a value, whatever it is; in an object: more members; in a list: more items
    ~"text"    a string with this text in it, or a value with such a string anywhere
    !PATTERN   anything else, or nothing;  < 5, <= 5, > 5, >= 5  a number

And
    let NAME = VALUE         $NAME from here on
    check VALUE PATTERN      the value must match
    repeat N as NAME         the steps up to `end` so often; NAME (may be left out) counts from 1
    kill                     ends the process at once, with the requests @name that are open;  close  ends its input
    restart                  starts it again on the same state directory, after a `close` and its end if it runs
    ends CODE                it must end, with this exit code if one is given

At the end each request must have been answered, each request of ctxmgr taken, and the process must end when its
input does.
"""

import re
from collections.abc import Callable

from ctxmgr.study.hostscript.script_nodes import Anything, Literal, Node, ScriptFault
from ctxmgr.study.hostscript.script_reading import STRING, Reader
from ctxmgr.study.hostscript.script_steps import (
    LAST,
    Always,
    Answered,
    Asked,
    Cancel,
    Check,
    Ends,
    Let,
    Raw,
    Repeat,
    Reply,
    Say,
    Send,
    Step,
    Turn,
)

RESERVED = ("list", "entries", "stateDir")  # names that `let` can not take
_COMMENT = re.compile(r"(?:^|(?<=\s))#")

Read = Callable[[Reader, int, str], Step]


def parse(text: str) -> tuple[Step, ...]:
    """Raises ScriptFault, with the line."""
    open_blocks: list[tuple[Repeat, list[Step]]] = []
    steps: list[Step] = []
    for line, source in lines(text):
        reader = Reader(source, line)
        if reader.keyword("repeat"):
            open_blocks.append((_repeat(reader, line, source), steps))
            steps = []
        elif reader.keyword("end"):
            if not open_blocks:
                raise reader.fault("`end` without a `repeat`")
            block, outer = open_blocks.pop()
            outer.append(Repeat(block.line, block.source, block.times, block.name, tuple(steps)))
            steps = outer
        else:
            steps.append(_step(reader, line, source))
        reader.finish()
    if open_blocks:
        raise ScriptFault(open_blocks[-1][0].line, "`repeat` without an `end`")
    return tuple(steps)


def lines(text: str) -> list[tuple[int, str]]:
    """Each step's text and the line it starts in, without comments."""
    out: list[tuple[int, str]] = []
    held: list[str] = []
    depth = start = 0
    for number, line in enumerate(text.split("\n"), 1):
        line = line.rstrip("\r")
        if not held and line.split(maxsplit=1)[:1] == ["raw"]:
            out.append((number, line.strip()))
            continue
        blanked = STRING.sub(lambda found: '"' * len(found[0]), line)
        if comment := _COMMENT.search(blanked):
            line, blanked = line[: comment.start()], blanked[: comment.start()]
        start = start if held else number
        held.append(line.rstrip())
        depth += sum((letter in "{[") - (letter in "}]") for letter in blanked)
        if depth <= 0:
            if source := "\n".join(held).strip():
                out.append((start, source))
            held, depth = [], 0
    if held:
        raise ScriptFault(start, "a bracket is not closed")
    return out


def _repeat(reader: Reader, line: int, source: str) -> Repeat:
    times = reader.value()
    return Repeat(line, source, times, reader.word("a name") if reader.keyword("as") else "", ())


def _step(reader: Reader, line: int, source: str) -> Step:
    for word, read in _SIGNS.items():
        if reader.take(word):
            return read(reader, line, source)
    for word, read in _WORDS.items():
        if reader.keyword(word):
            return read(reader, line, source)
    raise reader.fault(f"no step begins with: {source.split()[0][:40]}")


def _send(request: bool) -> Read:
    def read(reader: Reader, line: int, source: str) -> Step:
        label = reader.label() if request else None
        method = reader.word("a method")
        return Send(line, source, method, None if reader.done else reader.arguments(), request, label or LAST)

    return read


def _answered(reader: Reader, line: int, source: str) -> Step:
    label = reader.label() or LAST
    failed = reader.keyword("error")
    code = _code(reader) if failed else None
    pattern: Node = Anything() if reader.done else reader.value(pattern=True)
    return Answered(line, source, pattern, label, failed, code)


def _code(reader: Reader) -> int | None:
    """A whole number, where one is next."""
    reader.skip()
    if reader.text[reader.at : reader.at + 1] not in "-0123456789" or reader.done:
        return None
    found = reader.value()
    if not isinstance(found, Literal) or type(found.value) is not int:
        raise reader.fault("a code is a whole number")
    return found.value


def _asked(request: bool) -> Read:
    def read(reader: Reader, line: int, source: str) -> Step:
        label = reader.label() if request else None
        method = reader.word("a method")
        pattern: Node = Anything() if reader.done else reader.value(pattern=True)
        return Asked(line, source, method, pattern, request, label or LAST)

    return read


def _reply(reader: Reader, line: int, source: str) -> Step:
    label = reader.label() or LAST
    if not reader.keyword("error"):
        return Reply(line, source, reader.value(), label)
    code = _code(reader)
    if code is None:
        raise reader.fault("the code of the error is missing")
    return Reply(line, source, Literal("refused") if reader.done else reader.string(), label, code)


def _let(reader: Reader, line: int, source: str) -> Step:
    name = reader.word("a name")
    if not name.isidentifier() or name in RESERVED:
        raise reader.fault(f"`{name}` can not be a name")
    reader.need("=")
    return Let(line, source, name, reader.value())


def _said(kind: str) -> Read:
    def read(reader: Reader, line: int, source: str) -> Step:
        failed = kind == "result" and reader.keyword("error")
        if kind in ("message", "messages"):
            return Say(line, source, kind, reader.value())
        called = kind == "assistant" and (reader.done or reader.text.startswith("call", reader.at))
        value = Literal("") if called else reader.string()
        calls = []
        while kind == "assistant" and reader.keyword("call"):
            calls.append((reader.word("a tool's name"), reader.arguments(until="call")))
        return Say(line, source, kind, value, tuple(calls), failed)

    return read


def _turn(word: str) -> Read:
    return lambda reader, line, source: Turn(line, source, word)


_SIGNS: dict[str, Read] = {
    ">>": _send(request=False),
    "??": _asked(request=False),
    ">": _send(request=True),
    "<": _answered,
    "?": _asked(request=True),
    "=": _reply,
}
_WORDS: dict[str, Read] = {
    "answer": lambda reader, line, source: Always(line, source, reader.word("a method"), reader.value()),
    "cancel": lambda reader, line, source: Cancel(line, source, reader.label() or LAST),
    "raw": lambda reader, line, source: Raw(line, source, _rest(reader)),
    "let": _let,
    "check": lambda reader, line, source: Check(line, source, reader.value(), reader.value(pattern=True)),
    **{kind: _said(kind) for kind in ("user", "assistant", "result", "summary", "message", "messages")},
    **{word: _turn(word) for word in ("kill", "close", "restart")},
    "ends": lambda reader, line, source: Ends(line, source, _code(reader)),
}


def _rest(reader: Reader) -> str:
    reader.skip()
    rest, reader.at = reader.text[reader.at :], len(reader.text)
    return rest
