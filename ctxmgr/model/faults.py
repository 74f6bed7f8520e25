"""Turns a fault inside into words for people: its kind and the places it came through, none of its text.

A fault's text may hold what the host sent (a key, a line), and conversation never goes to stderr or into errors.
"""

PLACES = 6  # innermost first


def where(fault: BaseException) -> str:
    places = []
    trace = fault.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename.replace("\\", "/").rpartition("/")[2]
        places.append(f"{name}:{trace.tb_lineno}")
        trace = trace.tb_next
    return f"internal fault: {type(fault).__name__} at {' < '.join(reversed(places[-PLACES:]))}"


def cause(fault: BaseException) -> str:
    """What the system says of it, or its kind: a cause that a sentence may end with."""
    words = fault.strerror if isinstance(fault, OSError) else None
    return words or type(fault).__name__
