"""The tools of an agent in an editor (Read, Edit, Write, Bash, Grep, Glob, TodoWrite), over the same repository."""

import re
from typing import Any

from recording.tools import Outcome, Toolbox, ToolError


class EditorToolbox(Toolbox):
    def tool_Read(self, file_path: str, offset: int = 1, limit: int = 2000) -> Outcome:  # noqa: N802
        lines = self._text(file_path).splitlines()[offset - 1 : offset - 1 + limit]
        return Outcome("\n".join(f"{number:>6}\u2192{line}" for number, line in enumerate(lines, start=offset)))

    def tool_Write(self, file_path: str, content: str) -> Outcome:  # noqa: N802
        there = self._real(file_path).is_file()
        self.tool_write(file_path, content)
        said = "has been updated" if there else "created successfully at:"
        return Outcome(f"The file {file_path} {said}" if there else f"File {said} {file_path}")

    def tool_Edit(self, file_path: str, old_string: str, new_string: str) -> Outcome:  # noqa: N802
        before = self._text(file_path)
        count = before.count(old_string)
        if count != 1:
            what = "String to replace not found in file" if not count else f"Found {count} matches of the string"
            raise ToolError(f"<tool_use_error>{what}.\nString: {old_string}</tool_use_error>")
        self._real(file_path).write_bytes(before.replace(old_string, new_string).encode("utf-8"))
        return Outcome(f"The file {file_path} has been updated successfully.")

    def tool_Bash(self, command: str, description: str) -> Outcome:  # noqa: N802
        output, code = self.shell(command)
        text = output.rstrip("\n")
        return Outcome(f"Exit code {code}\n{text}", is_error=True) if code else Outcome(text)

    def tool_Grep(self, pattern: str, path: str = ".", output_mode: str = "content") -> Outcome:  # noqa: N802
        wanted = re.compile(pattern)
        rows = [
            f"{name}:{number}:{line}"
            for name in self._files(path)
            for number, line in enumerate(self._text(name).splitlines(), start=1)
            if wanted.search(line)
        ]
        if output_mode != "content":
            rows = sorted({row.split(":", 1)[0] for row in rows})
            return Outcome("\n".join([f"Found {len(rows)} files", *rows]) if rows else "No files found")
        return Outcome("\n".join(rows) or "No matches found")

    def tool_Glob(self, pattern: str) -> Outcome:  # noqa: N802
        names = sorted(each.relative_to(self.root).as_posix() for each in self.root.glob(pattern) if each.is_file())
        return Outcome("\n".join(f"{self.home}/{name}" for name in names) or "No files found")

    def tool_TodoWrite(self, todos: list[dict[str, Any]]) -> Outcome:  # noqa: N802
        return Outcome("Todos have been modified successfully. Ensure that you continue to use the todo list.")
