"""Responses API, and what programs of their own rules make of a list before they send it (pi).

1. The first item that is no prompt is a user's.
2. Each call has an output after it, and each output a call before it, wherever they stand.
3. Reasoning has an item of the same answer after it.
"""

from ctxmgr.formats.acceptance.progress import USERS, Progress, Said, answers, calls


def accept(progress: Progress, said: Said) -> Progress:
    """The progress after these items."""
    return paired(progress, said, whole_answers=True)


def paired(progress: Progress, said: Said, whole_answers: bool) -> Progress:
    """Rules 1 and 2; `whole_answers`: rule 3, too."""
    faults, waiting = set(progress.faults), set(progress.waiting)
    began, last = progress.began, progress.role
    for _, view in said:
        if view.role != "assistant" and last == "reasoning":
            faults.add("reasoning")
        last = "reasoning" if whole_answers and [block.kind for block in view.blocks] == ["thinking"] else view.role
        for id in answers(view):
            if id not in waiting:
                faults.add("pairs")
            waiting.discard(id)
        if view.role == "prompt":
            continue
        if not began and view.role not in USERS:
            faults.add("first role")
        began = True
        if view.role == "assistant":
            waiting |= calls(view)
    return Progress(frozenset(faults), began, frozenset(waiting), last)
