"""Describes an internal fault for people: its kind and the places in the code, but nothing of its text.

The text may contain what the host sent (a key, a line), and conversation never goes to stderr or into errors.
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
    """The system's message or, without one, the kind of fault, for the end of a sentence."""
    words = fault.strerror if isinstance(fault, OSError) else None
    return words or type(fault).__name__
