"""One file a shape of requests: where it is posted, what its list is called, and what a program tells of itself.

Each is a module with `FORMAT` (the name of its messages' format), `PATHS`, `LIST` (the member), and
`call_of(path, headers, found) -> ListCall`, of the list that was read. What a provider's answer and an error of it
look like is known to `tool_calls`, `usage` and `faults`.
"""

from ctxmgr.proxy.apis.asking import asking
from ctxmgr.proxy.apis.call import BYTES_A_TOKEN, MARKED, ListCall
from ctxmgr.proxy.apis.parts import part_of
from ctxmgr.proxy.apis.table import api_of
from ctxmgr.proxy.apis.tool_calls import SIGNS, CalledTool, ToolCallReader

__all__ = [
    "BYTES_A_TOKEN",
    "ListCall",
    "MARKED",
    "SIGNS",
    "CalledTool",
    "ToolCallReader",
    "api_of",
    "asking",
    "part_of",
]
