"""Gemini API. Consecutive contents of one role are one for it; prompts stand beside the list.

1. The first content is a user's.
2. A model's calls are answered in the user's content after them, all of them, and nothing else is answered there.
3. No content is without a part.

Source: its errors "function response turn comes immediately after a function call turn", "the number of function
response parts is equal to the number of function call parts", "contents.parts must not be empty".
"""

from ctxmgr.formats.acceptance.progress import Progress, Said, answers, calls


def accept(progress: Progress, said: Said) -> Progress:
    """The progress after these contents."""
    faults, waiting = set(progress.faults), set(progress.waiting)
    began, last = progress.began, progress.role
    for _, view in said:
        role = "assistant" if view.role == "assistant" else "user"
        if not began and role != "user":
            faults.add("first role")
        if not view.blocks and not view.error:
            faults.add("empty message")
        if role == "assistant" and last == "user" and waiting:
            faults.add("pairs")
            waiting.clear()
        began, last = True, role
        for id in answers(view):
            if id not in waiting:
                faults.add("pairs")
            waiting.discard(id)
        if role == "assistant":
            waiting |= calls(view)
    return Progress(frozenset(faults), began, frozenset(waiting), last)
