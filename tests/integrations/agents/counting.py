"""What the examples tell of themselves: of each list how many messages were kept as the very objects that were
given, how many were put, and how many were left out or changed; and how often usage was fed."""

import json
from typing import Any

from ctxmgr.client import InProcessSidecar, SpawnedSidecar
from ctxmgr.integrations.conversations import FrameworkSessions


class Counts:
    def __init__(self, conversations: FrameworkSessions) -> None:
        self.conversations = conversations
        self.rows: list[tuple[int, int, int]] = []
        self.usages = 0
        ended = conversations.ended

        def counted(*given: Any) -> None:
            self.usages += 1
            ended(*given)

        conversations.ended = counted  # type: ignore[method-assign]

    def listed(self, given: list[Any], sent: list[Any]) -> None:
        same = {id(one) for one in given}
        kept = sum(id(one) in same for one in sent)
        self.rows.append((kept, len(sent) - kept, len(given) - kept))

    def tell(self, answer: str) -> None:
        trouble = self.conversations.client.trouble
        fault = f"{trouble.kind}: {trouble.message}" if trouble is not None else ""
        print(json.dumps({"rows": self.rows, "usages": self.usages, "answer": answer, "fault": fault}))


def text_of(doc: str) -> str:
    """The text of a file: some 900 tokens, of names of its own."""
    name = doc.rpartition("/")[2].partition(".")[0]
    return "\n".join(f"def {name}_step_{line}(order): return {name}_table[order] + {line}" for line in range(44))


def sidecar_of(state: str) -> InProcessSidecar | SpawnedSidecar:
    """One that keeps its state there; one that cannot be run where that is "none"."""
    return SpawnedSidecar(["/no/such/program"]) if state == "none" else InProcessSidecar(state)
