"""What a user says in the result of a call: answers to a tool's questions, the reason of a rejection. Knows no
facts.

Rules:

1. A call asks one question or a list of them; a question may have an id.
2. An answer is only read in a frame that hosts use: quoted beside its question (Claude Code, OpenCode), by the
   question's id or number in JSON (Codex, Gemini CLI), or in a tag (Cline, Roo Code). Nothing else counts.
3. A note that the user made beside an answer belongs to it.
4. Hosts put a user's rejection behind a sentence of their own. It is the host's only if the result begins with it,
   and the format has no error mark, or the mark is set.
5. A tool may print that sentence: a file's content, or a process's output, may be the whole of an error. Words are
   certainly the user's in a result that the host marked as an error, of one of its own tools, known by its whole
   name, that shows only its host's words: one that changes files, plans or asks. So are those of Claude Code's
   shell, which puts its status ("Exit code 1") before any output; a member of its calls, which other hosts' tools
   of that name lack, identifies it. In all other cases the words are reported as what the result says.
6. Of a tool's result that a host reports as a user's text (Cline, Roo Code), the user's words may be in that of a
   tool that asks, or ends a task or a mode, since the user answers it. A tool that changes something or runs
   contains them if the user denied it. What a tool shows of files or servers is others' words.
7. Hosts of models that request tools in plain text introduce results with words that anybody may write
   ("Observation:"). They count as such a host's behind an assistant's text that requests an action; words that
   nobody writes by chance need none before them. The user says nothing in these.
8. Behind such a text, a tag, a line or a member of JSON at the start that names a tool's result or output counts
   too, whatever the host: every program with a loop of its own words it differently.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import msgspec

from ctxmgr.engine.tools.catalog import CATALOG
from ctxmgr.model import MOST_GIVEN, Block, ToldResult, expression

HEAD_CHARACTERS = 120  # of a result, before the first question it repeats
MOST_QUESTIONS = 12
ANSWER_CHARACTERS = 20_000

_TAG = expression(r"\s*<(answer|user_message)>\s*(.*?)\s*</\1>", re.DOTALL)
_TAILS = (". You can now continue", ". Read the answers")  # of a host's sentence behind the last answer
_PREVIEW = '" selected preview:'
_NOTES = " user notes: "
_NOTE = "user_note: "
_NONE = "Unanswered"  # in place of an answer (OpenCode)
SAID_CHARACTERS = 4_000
DENIED = "The user denied this operation and provided the following feedback:"

_FRAMES = tuple(  # of a rejection, with the host's shell, as spelled there
    (expression(frame, re.DOTALL), shell)
    for frame, shell in (
        (
            r"(?:The user doesn['’]t want to (?:proceed with this tool use|take this action right now)"
            r"|Permission for this tool use was denied)\. The tool use was rejected(?: \([^\n)]{1,200}\))?\. "
            r"(?:To tell you how to proceed, the user said|The user said"
            r"|The user provided the following reason for the rejection):\s*(\S.*)",
            "Bash",
        ),
        (
            r"The user rejected permission to use this specific tool call with the following feedback: (\S.*)",
            "",
        ),
        (rf"{DENIED}\s*<feedback>\s*(\S.*?)\s*</feedback>", ""),
    )
)
_ITS_SHELLS = "description"  # a member of every call of that shell
_HINT = "\n\nNote: The user's next message may"  # added by Claude Code for the model
# families whose results are only the host's words, and those whose results are the user's
_OWN_WORDS = frozenset(("write", "edit", "patch", "delete", "move", "copy", "plan"))
_USERS = frozenset(("answers", "plan"))
_ENDS = frozenset(("attempt_completion", "plan_mode_respond", "switch_mode", "new_task"))
_CHANGES = frozenset(("write", "edit", "patch", "run"))


_ASKS = expression(  # for an action, in an assistant's text: ReAct; smolagents; SWE-agent's one command, at the end
    r"^\W{0,3}Action(?: Input)?\W{0,3}:|^Calling tools:|^[^\S\n]*</?code>|<end_code>|<end_action>|\n```\s*\Z"
    # calls as models write them: Qwen, Hermes, Llama, MiniMax, older Claude models; Mistral; DeepSeek, Kimi, Phi
    r"|<(?:\w{1,20}:)?(?:tool_calls?|function_calls?|invoke|execute\w{0,20}|search)\b|<function=|\[TOOL_CALLS?\]"
    r"|<[|｜]tool",
    re.MULTILINE,
)
_LIKE_OUTPUT = expression(  # rule 8
    r"<[|｜]?(?:\w{1,30}[_▁:-])?(?:results?|outputs?|observations?|responses?|information|system)"
    r"(?:[_▁:-]\w{1,30})?[|｜]?(?:\s[^<>]{0,200})?>"
    r"|```(?:tool_)?outputs?\s*\n"
    r"|\[?/?(?:tool|function|command|action|execution|script)s?[ _]?(?:call[ _])?(?:results?|outputs?|responses?)\b"
    r"[^\n:\]]{0,120}[:\]]"
    r"|(?:tool|function|command) [`'\"]?[\w.:/-]{1,100}[`'\"]? (?:returned|results?|outputs?)\b[^\n:]{0,40}:"
    r"|\[[\w.:/-]{1,100} (?:results?|outputs?)\]"
    r"|(?:results?|outputs?) (?:of|from) [^\n:]{1,120}:"
    r"|ran command: `|executed code block\b"
    r'|\{\s*"(?:tool_|function_)?(?:results?|outputs?|response)"\s*:|\{\s*"(?:role|type)"\s*:\s*"tool(?:_result)?"',
    re.IGNORECASE,
)
_OUTPUTS = (  # of such an action
    # DeepSeek, GLM, Granite: tokens of their chat templates
    ToldResult(expression(r"<[|｜](?:observation|tool[_▁])"), ("<|", "<｜")),
    # aider, run_output of aider/prompts.py
    ToldResult(
        expression(rf"I ran this command:\n\n.{{1,{MOST_GIVEN}}}?\n\nAnd got this output:\s*", re.DOTALL),
        ("I ran",),
    ),
    # Gemini CLI, Qwen Code, shellCommandProcessor.ts
    ToldResult(
        expression(
            rf"I ran the following shell command:\n```sh\n.{{1,{MOST_GIVEN}}}?\n```\n\n"
            r"This produced the following result:\n```\n.*```\s*\Z",
            re.DOTALL,
        ),
        ("I ran",),
    ),
    # Open Interpreter, core/llm/utils/convert_to_openai_messages.py; profiles of its own
    ToldResult(
        expression(r"Code output: .*\n[^\S\n]*What does this output mean[^\n]{0,60} / what\b", re.DOTALL),
        ("Code output",),
    ),
    ToldResult(expression(r"I executed that code\. This was the output: \"\"\""), ("I executed",)),
    ToldResult(
        expression(r"The code above was executed on my machine\. It produced no (?:text )?output\."),
        ("The code above",),
    ),
    # Agent Zero, its history as JSON
    ToldResult(expression(r'\{\s*"tool_name":\s*"[^"\n]{1,100}",\s*"tool_result":\s*'), ("{",)),
    # smolagents, ActionStep.to_messages of memory.py: of code; of any tool; of code that failed
    ToldResult(
        expression(r"Observation:\s*\n(?:Execution logs|Last output from code snippet):\s*"), ("Observation",)
    ),
    ToldResult(
        expression(r"(?:Call id: \S{1,100}\s*\n(?:Error:\s*\n)?|Observation:)\s*"),
        ("Call id", "Observation"),
        asked=True,
    ),
    ToldResult(expression(r"Error:[^\S\n]*\n.*\nNow let's retry:", re.DOTALL), ("Error",), asked=True),
    # SWE-agent before 1.0, next_step_template: the prompt of its shell behind each output
    ToldResult(
        expression(r".*\n\(Open file: [^\n]*\)\n\(Current directory: [^\n]*\)\nbash-\$\Z", re.DOTALL),
        end="\nbash-$",
        asked=True,
    ),
    ToldResult(_LIKE_OUTPUT, asked=True),
)


class _Question(msgspec.Struct, frozen=True):
    text: str
    names: tuple[str, ...]


def user_answers(arguments: Mapping[str, Any], result: str) -> tuple[tuple[str, str], ...]:
    """(question, reply) for each answered question; none if the result has no known frame."""
    asked = list(_questions(arguments))[:MOST_QUESTIONS]
    if not asked:
        return ()
    tag = _TAG.match(result) if len(asked) == 1 else None
    in_tag = [(asked[0], tag[2], "")] if tag else []
    answers = _in_json(asked, result) or in_tag or _beside(asked, result[:ANSWER_CHARACTERS])
    return tuple(
        (question.text, f"{answer} ({note})" if answer and note else answer or note)
        for question, answer, note in answers
        if answer or note
    )


def _questions(arguments: Mapping[str, Any]) -> Iterator[_Question]:
    listed = _decoded(arguments.get("questions"))
    for number, entry in enumerate(listed if isinstance(listed, list) else [arguments]):
        text = entry.get("question") if isinstance(entry, dict | Mapping) else None
        if isinstance(text, str) and text.strip():
            names = (entry.get("id"), str(number), text, entry.get("header"))
            yield _Question(text, tuple(name for name in names if isinstance(name, str)))


def _decoded(given: Any) -> Any:
    """A list that a model wrote as JSON in a text."""
    if not isinstance(given, str):
        return given
    try:
        return msgspec.json.decode(given)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None


_Said = tuple[_Question, str, str]  # question, answer, note


def _in_json(asked: list[_Question], result: str) -> list[_Said]:
    reply = _decoded(result) if result.lstrip().startswith("{") and len(result) <= ANSWER_CHARACTERS else None
    answers = reply.get("answers") if isinstance(reply, dict) else None
    if not isinstance(answers, dict):
        return []
    return [
        (question, *_parts(answers[name]))
        for question in asked
        for name in [name for name in question.names if name in answers][:1]
    ]


def _parts(given: Any) -> tuple[str, str]:
    """The answer and the note in the JSON for one question."""
    if isinstance(given, dict):
        given = given.get("answers")
    parts = [part for part in (given if isinstance(given, list) else [given]) if isinstance(part, str)]
    answer = ", ".join(part for part in parts if not part.startswith(_NOTE))
    return answer, " ".join(part.removeprefix(_NOTE) for part in parts if part.startswith(_NOTE))


def _beside(asked: list[_Question], result: str) -> list[_Said]:
    """Answers quoted behind their questions, in question order."""
    starts: list[tuple[_Question, int, int]] = []
    behind = 0
    for question in asked:
        mark = f'"{question.text}"="'
        start_index = result.find(mark, behind)
        if start_index >= 0:
            starts.append((question, start_index, behind := start_index + len(mark)))
    if not starts or starts[0][1] > HEAD_CHARACTERS or "\n" in result[: starts[0][1]].strip():
        return []
    last = result[starts[-1][2] :]
    for tail in _TAILS:
        last = last.partition(tail)[0]
    pairs = pairwise(starts)
    answers = [*(result[start:end].rstrip(", ") for (_, _, start), (_, end, _) in pairs), last]
    return [(question, *_quoted(answer)) for (question, _, _), answer in zip(starts, answers, strict=True)]


def _quoted(text: str) -> tuple[str, str]:
    """The answer and the note behind a question's mark."""
    before, _, note = text.partition(f'"{_NOTES}')
    answer, preview, behind = before.partition(_PREVIEW)
    if preview and not note:
        note = behind.partition(_NOTES)[2]
    answer = answer.removesuffix('"')
    return "" if answer == _NONE else answer, note.strip()


class Rejection(msgspec.Struct, frozen=True):
    """`reason`: behind the host's sentence. `sure`: it is certainly the user's, not a tool's."""

    reason: str
    sure: bool


def rejection(result: Block, call: Block) -> Rejection | None:
    """What the user said to a call that did not run; None if the result says nothing of it."""
    if not (result.is_error or result.doubtful or result.untold):
        return None
    for frame, shell in _FRAMES:
        match = frame.match(result.text)
        if match:
            reason = match[1].partition(_HINT)[0].strip()[:SAID_CHARACTERS]
            return Rejection(reason, result.marked and _is_own(call, shell))
    return None


def _is_own(call: Block, shell: str) -> bool:
    """Rule 5."""
    if any(tool.name == call.tool for tool in call.declared):
        return False
    given = call.arguments or {}
    if shell and call.tool == shell:
        return isinstance(given.get(_ITS_SHELLS), str)
    row = CATALOG.listed(call.tool, given)
    return row is not None and (row.family in _OWN_WORDS or row.tells in _USERS)


def may_tell_of_the_user(tool: str, result: str) -> bool:
    """`tool`: its name. `result`: the text behind it."""
    row = CATALOG.row(tool, {})
    if tool in _ENDS or (row is not None and row.tells == "answers"):
        return True
    return row is not None and row.family in _CHANGES and result.startswith(DENIED)


def tells_an_output(text: str, asked: str) -> bool:
    """Whether a host reports in this text what an action gave (rules 7 and 8). `asked`: the assistant's text before
    it.
    """
    return any(row.match(text) and (not row.asked or _asks(asked)) for row in _OUTPUTS)


def _asks(asked: str) -> bool:
    """Whether an assistant's text requests an action, in words or as one JSON object."""
    words = asked.strip()
    return (words.startswith("{") and words.endswith("}")) or _ASKS.search(asked) is not None
