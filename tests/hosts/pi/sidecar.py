"""Is what pi spawns in the tests: tells its process id through the pipe $CTXMGR_STARTS, and becomes a ctxmgr that
records the conversation beside it."""

import os
import sys
from pathlib import Path

starts = Path(os.environ["CTXMGR_STARTS"])
with starts.open("a") as pipe:
    pipe.write(f"{os.getpid()}\n")
record = starts.with_name(f"record-{os.getpid()}.jsonl")
os.execv(sys.executable, [sys.executable, "-m", "ctxmgr", *sys.argv[1:], "--record", str(record)])
