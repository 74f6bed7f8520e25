"""The types of a command's row, the parser made from it, and rows and values that several commands share.

A value that does not fit raises ValueError, which `_value` turns into a sentence.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from itertools import takewhile
from typing import Any, NamedTuple, NoReturn, TypeVar, get_args

T = TypeVar("T")


class Option(NamedTuple):
    """One argument: the names and settings for argparse's `add_argument`."""

    names: tuple[str, ...]
    settings: dict[str, Any]


class Group(NamedTuple):
    """Options under a title of their own; without a title, at most one of them may be given."""

    title: str
    options: tuple[Option, ...]


class CommandRow(NamedTuple):
    """`run`: the function of the command, as `module:name`. It gets the parsed arguments, returns the exit code,
    and is imported when it runs. `parts`: its subcommands, `part`: the word for them. `summary`: what a subcommand
    is for; used as its description if it has none.
    """

    description: str
    example: str
    run: str = ""
    options: tuple[Option | Group, ...] = ()
    summary: str = ""
    part: str = ""
    parts: Mapping[str, "CommandRow"] = {}


class RunsInstead(argparse.Action):
    """An option that runs another function, `const`, instead of the command's. Its value is kept."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        setattr(namespace, self.dest, values)
        namespace.run = self.const


def option(*names: str, **settings: Any) -> Option:
    return Option(names, settings)


def add_command(commands: "argparse._SubParsersAction[Any]", name: str, summary: str, row: CommandRow) -> None:
    """Adds the parser of a command and those of its parts."""
    has_own_help = any(isinstance(entry, Option) and "--help" in entry.names for entry in row.options)
    parser = commands.add_parser(
        name,
        help=summary,
        description=row.description or f"{summary[0].upper()}{summary[1:]}.",
        epilog=f"for example: {row.example}",
        add_help=not has_own_help,
    )
    if row.run:
        parser.set_defaults(run=row.run)
    for entry in row.options:
        if isinstance(entry, Option):
            parser.add_argument(*entry.names, **entry.settings)
            continue
        group = parser.add_argument_group(entry.title) if entry.title else parser.add_mutually_exclusive_group()
        for inner in entry.options:
            group.add_argument(*inner.names, **inner.settings)
    if row.parts:
        parts = parser.add_subparsers(required=True, metavar=row.part, dest="action")
        for part, below in row.parts.items():
            add_command(parts, part, below.summary, below)


MODELS = option("--models", metavar="FILE", help="a JSON file of models; its rows override the built-in ones")
JSON = option("--json", action="store_true", help="print everything as JSON")
MODEL_SERVER = (
    option(
        "--endpoint",
        metavar="URL",
        help="a model server, such as http://localhost:8000/v1 or https://api.anthropic.com",
    ),
    option(
        "--api",
        metavar="NAME",
        choices=("chat", "anthropic"),
        help="its API: chat (OpenAI's Chat Completions) or anthropic (Anthropic's Messages) (default: chat)",
    ),
    option("--model", metavar="NAME", help="the name of the model"),
    option(
        "--api-key-env",
        metavar="VAR",
        help="the environment variable that holds the API key (default: send none)",
    ),
)
MAX_TOKENS = 1_000_000_000  # of one number on the command line
MAX_SECONDS = 86_400.0  # a day; a longer one is a mistake, and no wait is endless
ALSO_CALLED = {  # names of options in other programs
    **dict.fromkeys(("--port", "-p", "--host", "--bind", "--address", "--addr"), "--listen"),
    **dict.fromkeys(("--url", "--base-url", "--api-base", "--target", "--backend"), "--upstream"),
    "--state": "--state-dir",
    "--context-window": "--window",
    "--output": "--out",
}
OF_OTHERS = ("--", "--command")  # everything after it belongs to another program


class OneLineParser(argparse.ArgumentParser):
    """Reports a wrong call in one line, with a suggestion and an example of a right call.
    Options cannot be abbreviated.
    """

    _given: Sequence[str] = ()

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, allow_abbrev=False)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        self._given = [*(args or ())]
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown and self._subparsers is None:  # a command, which knows its own options
            first = unknown[0].partition("=")[0]
            what = f"there is no option {first}" if first.startswith("-") else f"unexpected argument: {first}"
            self.error(self._suggestion()[2:] or what)
        return parsed, unknown

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        names = [*map(str, action.choices)]
        meant = _meant(str(value), names)
        if not isinstance(action, argparse._SubParsersAction):
            raise argparse.ArgumentError(action, f"{value!r} is not one of {', '.join(names)}{meant}")
        kind = str(action.metavar).lower()
        what = f"there is no {kind} {value!r}"
        others = f"; the {kind}s are {', '.join(names)}"
        raise argparse.ArgumentError(None, what + (meant or _program_meant(self._given) or others))

    def _suggestion(self) -> str:
        """A suggestion for the first word before a command's own arguments that looks like an option, and is
        unknown.
        """
        own = [name for name in self._option_string_actions if name.startswith("--")]
        words = (word.partition("=")[0] for word in takewhile(lambda word: word not in OF_OTHERS, self._given))
        for word in words:
            if not word.startswith("-") or word in self._option_string_actions:
                continue
            near = ALSO_CALLED.get(word, "")
            if hint := (f"; did you mean {near}?" if near in own else _meant(word, own)):
                return f"; there is no option {word}{hint}"
        return ""

    def error(self, message: str) -> NoReturn:
        said = message.removeprefix("argument ").replace("the following arguments are required:", "missing:")
        if "did you mean" not in said:
            said += self._suggestion() or f"; {self.epilog}"
        self.exit(2, f"{self.prog}: {said}\n")


def _meant(word: str, names: Sequence[str]) -> str:
    """A suggestion if a name is similar to the word, otherwise ""."""
    from ctxmgr.model import closest  # not loaded at a start

    near = closest(word, names)
    return f"; did you mean {near}?" if near else ""


def _program_meant(words: Sequence[str]) -> str:
    """A suggestion for `ctxmgr claude`, which is not a command: agents are started with run."""
    from ctxmgr.programs import PROGRAMS

    is_program = any(program.command in words[:1] for program in PROGRAMS)
    return f"; did you mean ctxmgr run -- {' '.join(words)}?" if is_program else ""


def _value(description: str) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """Decorates a function that reads an option's value: argparse would show the user the function's name."""

    def of(read: Callable[[str], T]) -> Callable[[str], T]:
        @wraps(read)
        def checked(text: str) -> T:
            try:
                return read(text)
            except ValueError:
                raise argparse.ArgumentTypeError(f"{text!r} is not {description}") from None

        return checked

    return of


@_value("a whole number, 1 or more")
def positive(text: str) -> int:
    return int(_checked(int(text), int(text) >= 1))


@_value("a whole number, 0 or more")
def whole(text: str) -> int:
    return int(_checked(int(text), int(text) >= 0))


@_value("a number of tokens, such as 200000, 200k or 1M")
def tokens(text: str) -> int:
    return _some_tokens(text)


@_value("a number of tokens, such as 0, 5000 or 5k")
def tokens_or_none(text: str) -> int:
    return _token_count(text)


def _some_tokens(text: str) -> int:
    return int(_checked(_token_count(text), _token_count(text) >= 1))


def _token_count(text: str) -> int:
    from ctxmgr.settings import token_count

    return int(_checked(token_count(text), token_count(text) <= MAX_TOKENS))


@_value("INPUT,READ,WRITE[,OUTPUT[,TIER...]]")
def prices(text: str) -> object:
    from ctxmgr.study import price_text

    return price_text.prices(text)


@_value("KEY=VALUE")
def policy_key(text: str) -> tuple[str, object]:
    """(key, value) of `KEY=VALUE`. Raises the error that argparse reports in its own words."""
    from ctxmgr.model import InvalidPolicy, policy_keys
    from ctxmgr.settings import policy_value

    key, sign, value = text.partition("=")
    if not sign:
        raise ValueError(text)
    content = policy_value(value)
    try:
        policy_keys.policy({key: content})
    except InvalidPolicy as refused:
        raise argparse.ArgumentTypeError(f"invalid value at {refused.path[1:] or key}: {refused}") from None
    return key, content


@_value("lean, balanced, careful or a number of tokens, such as 5000 or 5k")
def keep(text: str) -> int | str:
    """A point of the policy's `keep`, or a number of tokens."""
    from ctxmgr.model import KeepPoint

    return text if text in get_args(KeepPoint) else _some_tokens(text)


@_value("a list of points of keep, such as careful,balanced,lean")
def points(text: str) -> list[str]:
    from ctxmgr.model import KeepPoint

    named = list(dict.fromkeys(text.split(",")))
    if not set(named) <= set(get_args(KeepPoint)):
        raise ValueError(text)
    return named


@_value("a number from 0 to 1")
def share(text: str) -> float:
    return _checked(float(text), 0 <= float(text) <= 1)


@_value(f"a number of seconds above 0 and below {MAX_SECONDS:,.0f}")
def seconds(text: str) -> float:
    return _checked(float(text), 0 < float(text) < MAX_SECONDS)


def _checked(number: float, fits: bool) -> float:
    if fits:
        return number
    raise ValueError(number)
