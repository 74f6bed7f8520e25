"""Arguments that several commands share, the texts that are values of them, and who says what is wrong with them. A
wrong text is a ValueError."""

import argparse
import difflib
from collections.abc import Sequence
from itertools import takewhile
from typing import Any, NoReturn, get_args

TIMEOUT_HELP = "how long each wait may take (default: %(default)g)"
MAX_TOKENS = 1_000_000_000  # of one number on the command line
OVERHEAD_TOKENS = 5_000
CACHES = ("ideal", "marks", "host-marks", "implicit", "none")
MAX_SECONDS = 86_400.0  # a day: longer is a mistake, and no wait is endless


ALSO_CALLED = {  # as other programs call what is an option here
    **dict.fromkeys(("--port", "-p", "--host", "--bind", "--address", "--addr"), "--listen"),
    **dict.fromkeys(("--url", "--base-url", "--api-base", "--target", "--backend"), "--upstream"),
    "--state": "--state-dir",
    "--context-window": "--window",
    "--output": "--out",
}
OF_OTHERS = ("--", "--command")  # what comes after is of a program that is run
LIKENESS = 0.75  # from which on an option counts as a slip of another


class OneLineParser(argparse.ArgumentParser):
    """What is wrong with a call is said in one line, and a call that is right after it. Of an option that a command
    does not have it is said which may be meant."""

    _given: Sequence[str] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        self._given = [*(args or ())]
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown and self._subparsers is None:  # a command: it knows its own options
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return parsed, unknown

    def _meant(self) -> str:
        """Of the first word before a command's own arguments that looks like an option, and is none."""
        own = [name for name in self._option_string_actions if name.startswith("--")]
        words = (word.partition("=")[0] for word in takewhile(lambda word: word not in OF_OTHERS, self._given))
        for word in words:
            if not word.startswith("-") or any(name.startswith(word) for name in own):
                continue
            near = ALSO_CALLED.get(word, "")
            near = near if near in own else next(iter(difflib.get_close_matches(word, own, 1, LIKENESS)), "")
            if near:
                return f" (no option {word}: did you mean {near}?)"
        return ""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}{self._meant()}; {self.epilog}\n")


def add_peer(command: argparse.ArgumentParser) -> None:
    """What is spawned, and how it is spoken to."""
    command.add_argument(
        "--command",
        metavar="CMD",
        nargs=argparse.REMAINDER,
        help="the sidecar to spawn (default: this ctxmgr); the last option: all that follows it is the command",
    )
    command.add_argument(
        "--framing", choices=("content-length", "ndjson"), default="content-length", help="how messages are framed"
    )
    command.add_argument("--timeout", metavar="SECONDS", type=seconds, default=10.0, help=TIMEOUT_HELP)


def add_bill(command: argparse._ActionsContainer) -> None:
    """What closed-loop cost is worked out by."""
    command.add_argument(
        "--prices",
        metavar="INPUT,READ,WRITE[,OUTPUT[,TIER...]]",
        type=prices,
        help="of input, in dollars a million tokens, and what reading and writing the cache costs, as shares of "
        "it; of output, in dollars; TOKENS:FACTOR[:FACTOR]: a request above so many tokens costs FACTOR times "
        "that, its output the second FACTOR times (default: 3,0.1,1.25,15)",
    )
    command.add_argument("--cache-ttl", metavar="SECONDS", type=seconds, help="life of the cache (300)")
    command.add_argument(
        "--cache",
        metavar="NAME",
        choices=CACHES,
        default=CACHES[0],
        help="how the provider caches: ideal (all that a list has in common with the one before is read), marks "
        "(20 blocks are looked back from marks where ctxmgr says), host-marks (from one on the newest message), "
        "implicit (in steps of 128 tokens, from 1024 on), none (default: ideal)",
    )
    hindsight = "beside policies or chains, who knows what each reply will need, and what that costs"
    command.add_argument("--clairvoyant", action="store_true", help=hindsight)
    command.add_argument(
        "--overhead",
        metavar="TOKENS",
        type=whole,
        default=OVERHEAD_TOKENS,
        help="of system prompt and tools in each request (default: 5000)",
    )


def add_probes_failed(command: argparse._ActionsContainer, more: str = "") -> None:
    """`more`: what is written beside the probes."""
    failed = (
        f"write each probe that failed and where it was lost{more}, one JSON object a line; it holds conversation"
    )
    command.add_argument("--probes-failed", metavar="FILE", help=failed)


def add_models(command: argparse._ActionsContainer) -> None:
    command.add_argument(
        "--models", metavar="FILE", help="facts of models as JSON; its rows go before those that are known"
    )


def add_settings(command: argparse.ArgumentParser) -> None:
    """What goes before the settings' files, of commands that run a proxy."""
    command.add_argument(
        "--observe", action="store_true", help="change nothing; tell at the end what would have been saved"
    )
    command.add_argument("--preset", metavar="NAME", help="what is done to lists: off, tools, turns, balanced")
    command.add_argument("--window", metavar="TOKENS", type=whole, help="the model's context window")
    command.add_argument("--state-dir", metavar="DIR", help="where snapshots go")
    command.add_argument(
        "--keep-originals",
        action=argparse.BooleanOptionalAction,
        help="archive what leaves, for ctxmgr search (default of run: yes)",
    )
    command.add_argument(
        "--model-tools",
        action=argparse.BooleanOptionalAction,
        help="of run: give the model tools to search and retrieve what left (default: yes, with the extra mcp)",
    )
    add_models(command)


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def whole(text: str) -> int:
    number = int(text)
    if not 0 <= number <= MAX_TOKENS:
        raise ValueError(text)
    return number


def prices(text: str) -> object:
    from ctxmgr.study import price_text

    return price_text.prices(text)


def policy_key(text: str) -> tuple[str, object]:
    """(key, value) of `KEY=VALUE`; the value as JSON, else a text. Raises what argparse tells in its own words."""
    import json

    from ctxmgr.model import InvalidPolicy, policy_keys

    key, sign, value = text.partition("=")
    if not sign:
        raise ValueError(text)
    try:
        said: object = json.loads(value)
    except ValueError:
        said = value
    try:
        policy_keys.policy({key: said})
    except InvalidPolicy as refused:
        raise argparse.ArgumentTypeError(f"invalid value at {refused.path[1:] or key}: {refused}") from None
    return key, said


def keep(text: str) -> int | str:
    """A point of the policy's `keep`, or tokens."""
    from ctxmgr.model import KeepPoint

    return text if text in get_args(KeepPoint) else positive(text)


def share(text: str) -> float:
    return _checked(float(text), 0 <= float(text) <= 1)


def seconds(text: str) -> float:
    return _checked(float(text), 0 < float(text) < MAX_SECONDS)


def _checked(number: float, fits: bool) -> float:
    if fits:
        return number
    raise ValueError(number)
