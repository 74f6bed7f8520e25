"""Turns JSON text into values, and values into the text that JavaScript's JSON.stringify writes for them.

pi counts characters of what JavaScript writes, and shows that text to a model. Rules:

1. A number is a double: `1.0` is 1, `-0` is 0, 1e21 gets an exponent, a number that is too large is null.
2. Keys that are array indices come first, in ascending order; the others in order of first occurrence.
3. A character is a UTF-16 unit. Half a surrogate pair is written as its escape in JSON, and as U+FFFD (as any
   encoder does) in text, so that no text of ours breaks a tokenizer or an encoder.
"""

import json
from typing import Any, NoReturn

import msgspec

from ctxmgr.model import SURROGATE

_decode = msgspec.json.Decoder().decode
_LAST_INDEX = 2**32 - 2  # ECMA-262: an array index is below 2^32 - 1
_EXACT = 2**53  # smaller integers are exact doubles
_DIGITS = 21  # ECMA-262, Number::toString: from here on with an exponent
_ZEROS = -6  # smallest exponent without exponent notation


def value(raw: bytes) -> Any:
    """The value of JSON text, with halves of surrogate pairs kept. Raises ValueError or RecursionError for other
    text.
    """
    try:
        return _decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):  # half a surrogate pair, or a number too large for a double
        return json.loads(raw.decode("utf-8"), parse_constant=_refused)


def spelled(value: Any) -> str:
    """What JSON.stringify writes for a JSON value; approximately that if it is nested too deep to follow the
    rules.
    """
    try:
        return _spelled(value)
    except RecursionError:
        return msgspec.json.encode(value).decode()


def _spelled(value: Any) -> str:
    if isinstance(value, str):
        text = json.dumps(value, ensure_ascii=False)
        return text if text.isascii() else SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)
    if value is None or isinstance(value, bool):
        return "null" if value is None else "true" if value else "false"
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, list):
        return f"[{','.join(map(_spelled, value))}]"
    return f"{{{','.join(f'{_spelled(name)}:{_spelled(item)}' for name, item in entries(value))}}}"


def entries(value: Any) -> list[tuple[str, Any]]:
    """What Object.entries returns for a JSON value, in its order."""
    if isinstance(value, list | str):
        return [(str(number), item) for number, item in enumerate(value)]
    if not isinstance(value, dict):
        return []
    if any(name[:1].isdigit() for name in value) and any(_is_index(name) for name in value):
        first = sorted((name for name in value if _is_index(name)), key=int)
        return [(name, value[name]) for name in (*first, *(name for name in value if not _is_index(name)))]
    return list(value.items())


def units(text: str) -> int:
    """UTF-16 units of a text: what JavaScript calls its length."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def whole(text: str) -> str:
    """The text with adjacent halves joined to a surrogate pair, and each remaining half as U+FFFD."""
    if text.isascii() or SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _is_index(name: str) -> bool:
    return (
        name.isascii() and name.isdigit() and len(name) < 11 and str(int(name)) == name and int(name) <= _LAST_INDEX
    )


def _number(number: int | float) -> str:
    if isinstance(number, int) and abs(number) < _EXACT:
        return str(number)
    try:
        double = float(number)
    except OverflowError:
        return "null"
    if double != double or abs(double) == float("inf"):
        return "null"
    if double == 0:
        return "0"
    mantissa, _, exponent = repr(abs(double)).partition("e")  # the shortest digits, as in JavaScript
    before, _, after = mantissa.partition(".")
    point = len(before) + int(exponent or 0)
    digits = before + after
    point -= len(digits) - len(digits.lstrip("0"))
    return ("-" if double < 0 else "") + _placed(digits.strip("0"), point)


def _placed(digits: str, point: int) -> str:
    """Digits with the decimal point after `point` of them (ECMA-262, Number::toString)."""
    if len(digits) <= point <= _DIGITS:
        return digits + "0" * (point - len(digits))
    if 0 < point <= _DIGITS:
        return f"{digits[:point]}.{digits[point:]}"
    if _ZEROS < point <= 0:
        return f"0.{'0' * -point}{digits}"
    exponent = point - 1
    tail = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{tail}e{'+' if exponent > 0 else '-'}{abs(exponent)}"
