"""`python -m ctxmgr` with a fault: the words of all messages are counted again in each `context`."""

import sys
from typing import Any

from ctxmgr.cli import main
from ctxmgr.session.context import listing

made = listing.commit


def planted(session: Any, *rest: Any) -> Any:
    for message in session.projection.messages:
        for block in message.view.blocks:
            len(block.text.split())
    return made(session, *rest)


listing.commit = planted  # type: ignore[assignment]

if __name__ == "__main__":
    sys.exit(main())
