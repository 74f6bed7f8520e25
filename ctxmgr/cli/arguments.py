"""Arguments that several commands share, and the texts that are values of them. A wrong text is a ValueError."""

import argparse

TIMEOUT_HELP = "how long each wait may take (default: %(default)g)"
MAX_TOKENS = 1_000_000_000  # of one number on the command line
MAX_SECONDS = 86_400.0  # a day: longer is a mistake, and no wait is endless


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


def share(text: str) -> float:
    return _checked(float(text), 0 <= float(text) <= 1)


def seconds(text: str) -> float:
    return _checked(float(text), 0 < float(text) < MAX_SECONDS)


def _checked(number: float, fits: bool) -> float:
    if fits:
        return number
    raise ValueError(number)
