"""The two tools of an agent that does all by shell: turns a command or a patch into what really came of it."""

import hashlib
from pathlib import Path
from typing import Any

from recording import patches
from recording.tools import Outcome, Toolbox, ToolError


class ShellToolbox(Toolbox):
    """`home`: what the repository's folder is shown as."""

    def tool_exec_command(self, cmd: str, workdir: str) -> Outcome:
        output, code = self.shell(cmd)
        said = [
            f"Chunk ID: {hashlib.sha256(cmd.encode()).hexdigest()[:6]}",
            f"Wall time: 0.{len(output) % 9000 + 210:04d} seconds",
            f"Process exited with code {code}",
            f"Original token count: {-(-len(output) // 4)}",
            "Output:",
            output,
        ]
        return Outcome("\n".join(said), is_error=code != 0)

    def tool_apply_patch(self, input: str) -> Outcome:
        try:
            made = patches.apply(input, self._text)
        except (patches.PatchError, ToolError) as error:
            return Outcome(f"Exit code: 1\nWall time: 0 seconds\nOutput:\n{error}", is_error=True)
        told = ["Success. Updated the following files:"]
        for name, text in made.items():
            target: Path = self._real(name)
            told.append(f"{'D' if text is None else 'M' if target.exists() else 'A'} {name}")
            if text is None:
                target.unlink()
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(text.encode("utf-8"))
        return Outcome("Exit code: 0\nWall time: 0.1 seconds\nOutput:\n" + "\n".join([*told, ""]))

    def tool_update_plan(self, plan: list[dict[str, Any]]) -> Outcome:
        return Outcome("Plan updated")
