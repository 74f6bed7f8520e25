"""Gemini's contents: `POST .../models/MODEL:generateContent` and `:streamGenerateContent`, and Gemini CLI, which
speaks it.

1. The model stands in the path. What comes before it (`/v1beta`, a cloud's project) is the provider's.
2. No program says whose list it sends: the list itself tells.
3. Gemini CLI's request for a summary has no tools, and a prompt that speaks of the snapshot that it asks for.
4. A call without functions that wants JSON, or in whose list none gave anything, passes untouched: a check, a
   search, a talk of which the model could fetch nothing again.
5. A list that goes on from content which the provider keeps is not all of it.
"""

from ctxmgr.proxy.apis.call import Headers, Kind, ListCall, Speaker, is_empty, program_of
from ctxmgr.proxy.apis.parts import has_result
from ctxmgr.proxy.body import ListBody

FORMAT = "gemini"
PATHS = (":generateContent", ":streamGenerateContent")
LIST = "contents"
PROMPT = ("systemInstruction", "system_instruction")
SETTINGS = ("generationConfig", "generation_config")
KEPT = ("cachedContent", "cached_content")
BESIDE = (*PROMPT, "tools")
FUNCTIONS = (b'"functionDeclarations"', b'"function_declarations"')
SNAPSHOT, JSON = b"<state_snapshot>", b"application/json"


def call_of(path: str, headers: Headers, found: ListBody) -> ListCall:
    members, program = found.members, program_of(headers)
    program = "gemini" if program.startswith("geminicli") else program
    return ListCall(
        FORMAT,
        path.rpartition("/")[2].partition(":")[0],
        _kind(found),
        Speaker(program),
        found,
        next((KEPT[0] for name in KEPT if not is_empty(members.get(name))), ""),
        sum(len(members.get(name, b"")) for name in BESIDE),
    )


def _kind(found: ListBody) -> Kind:
    """Rules 3 and 4."""
    if any(name in found.members.get("tools", b"") for name in FUNCTIONS):
        return "turn"
    if any(SNAPSHOT in found.members.get(name, b"") for name in PROMPT):
        return "compaction"
    wants_json = any(JSON in found.members.get(name, b"") for name in SETTINGS)
    return "aside" if wants_json or not has_result(FORMAT, found.messages) else "turn"
