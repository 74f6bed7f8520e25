"""pi's own list, which it turns into a provider's by itself: what it cannot mend.

1. The first message that is no prompt goes out as a user's.
2. Each call has a result after it, and each result a call before it.
"""

from ctxmgr.formats.acceptance.progress import Progress, Said
from ctxmgr.formats.acceptance.responses import paired


def accept(progress: Progress, said: Said) -> Progress:
    """The progress after these messages."""
    return paired(progress, said, whole_answers=False)
