import contextlib
import io
import tempfile
import unittest
from pathlib import Path

from greenhouse.cli import main

CSV = """time,bed,sensor,temp,unit,humidity,moisture,battery_mv
2026-01-14T00:00,Tomaten,s1,58.3,F,61,52.4,3104
2026-01-14T01:00,Tomaten,s1,39.2,F,63,33.0,3104
"""


def run(*arguments: str) -> tuple[int, str, str]:
    """Exit code, output and error output of one command."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
    return code, out.getvalue(), err.getvalue()


class Commands(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.csv = str(Path(folder.name) / "rows.csv")
        Path(self.csv).write_text(CSV, encoding="utf-8")

    def test_report(self) -> None:
        code, out, _ = run("report", self.csv)
        self.assertEqual(code, 0)
        self.assertIn("Tomaten", out)

    def test_alerts(self) -> None:
        code, out, _ = run("alerts", self.csv)
        self.assertEqual(code, 1)
        self.assertIn("1 frost, 1 dry", out)

    def test_threshold(self) -> None:
        _, out, _ = run("alerts", self.csv, "--threshold", "38")
        self.assertNotIn("frost", out)

    def test_plan(self) -> None:
        code, out, _ = run("plan", self.csv, "--now", "2026-01-14T02:00")
        self.assertEqual((code, out.split()[1:4]), (0, ["valve", "1", "Tomaten"]))

    def test_unknown_command(self) -> None:
        code, _, err = run("water", self.csv)
        self.assertEqual(code, 2)
        self.assertIn("no command named water", err)

    def test_missing_file(self) -> None:
        code, _, err = run("report", "nowhere.csv")
        self.assertEqual(code, 2)
        self.assertTrue(err.startswith("error: "))
