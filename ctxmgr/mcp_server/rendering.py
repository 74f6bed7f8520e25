"""Turns what the proxy gives into text for a model: short, and with the call that goes on from it."""

from typing import Any

MASKED = "\n[secrets were masked when this was kept: where it says [masked] the original had one]"


def hits(result: dict[str, Any]) -> str:
    """Each hit with the arguments by which `retrieve` shows more of it."""
    found = result["hits"]
    if not found:
        return "Nothing that left this conversation has these words. Try fewer, or parts of a name."
    said = (
        "This conversation has none of these words; another of this run has:\n\n" if result.get("elsewhere") else ""
    )
    return said + "\n\n".join(
        f"{one['rank']}. {one['call']}\n"
        f"{one['snippet']}\n"
        f'[retrieve handle="{one["handle"]}" offset={one["offset"]}; {one["total"]:,} characters]'
        for one in found
    )


def page(result: dict[str, Any]) -> str:
    text: str = result["text"]
    if result.get("masked"):
        text += MASKED
    if result["offset"] == 0 and result["next"] is None:
        return text
    end = result["total"] if result["next"] is None else result["next"]
    goes_on = "" if result["next"] is None else f"; go on with offset {result['next']}"
    return f"{text}\n[characters {result['offset']} to {end} of {result['total']:,}{goes_on}]"


def notes(result: dict[str, Any]) -> str:
    return result["text"] or "The notes are empty."


def status(result: dict[str, Any]) -> str:
    """How full the window is, and what of the conversation left so far."""
    lines = [f"zone: {result['zone']}"]
    for name, what in (("tokens", "tokens in use"), ("usableWindow", "tokens that fit"), ("epoch", "epoch")):
        if result.get(name) is not None:
            lines.append(f"{what}: {result[name]:,}")
    lines.append(f"pins: {result.get('pins', 0)}")
    lines += [str(note) for note in result.get("notes", ())]
    return "\n".join(lines)
