"""Chat completions.

1. The first message that is no prompt is a user's.
2. Calls are answered at once, each by a tool's message, before anything else is said; a tool's message answers such
   a call.
3. Four cache marks at most, where they go on to a provider that has them.
"""

from ctxmgr.formats.acceptance.progress import USERS, Progress, Said, answers, calls
from ctxmgr.formats.spelling import mark_count


def accept(progress: Progress, said: Said) -> Progress:
    """The progress after these messages."""
    faults, waiting, marks = set(progress.faults), set(progress.waiting), progress.mark_count
    began = progress.began
    for raw, view in said:
        marks += mark_count(raw)
        if view.role == "result":
            for id in answers(view):
                if id not in waiting:
                    faults.add("pairs")
                waiting.discard(id)
        elif waiting:
            faults.add("pairs")
            waiting.clear()
        if view.role == "prompt":
            continue
        if not began and view.role not in USERS:
            faults.add("first role")
        began = True
        if view.role == "assistant":
            waiting |= calls(view)
    return Progress(frozenset(faults), began, frozenset(waiting), mark_count=marks)
