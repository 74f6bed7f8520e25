"""Two small corrections, the user's own run, and the end."""

# ruff: noqa: E501 (long lines are the words of the user and the agent)

from recording.moves import Story, bash, edit, fails, grep, read, shell, step, user

STORY: Story = (
    user(
        "Great work! Two things: call it `weekly`, not `week`, my shell has an alias of that name. And please the median "
        "instead of the mean, one hot noon should not move it.",
        after=2700,
    ),
    step(
        "Both are quick. The module may stay `week.py`; what changes is the command and one column.",
        grep('mean|\\bweek\\(|"week"|  week |greenhouse week', glob="*.[mp][dy]"),
        read("greenhouse/week.py", offset=25, limit=60),
        thinking="The daily report keeps its mean: the user speaks of the new command. statistics.median is in the "
        "standard library.",
    ),
    step(
        "Many small places, so one script that says how often it found each of them. Every count should be at least one.",
        bash(
            "python3 - <<'EOF'\n"
            "import pathlib\n"
            "changes = {\n"
            "    'greenhouse/week.py': [('mean=fmean(temps) if', 'median=median(temps) if'),\n"
            "                           ('    mean: float', '    median: float'), ('\"mean\"', '\"median\"'),\n"
            "                           ('row.mean', 'row.median'),\n"
            "                           ('import fmean', 'import median')],\n"
            "    'greenhouse/cli.py': [('def week(', 'def weekly('), ('\"week\": week', '\"weekly\": weekly'),\n"
            "                          ('  week FILE', '  weekly FILE')],\n"
            "    'tests/test_cli.py': [('run(\"week\"', 'run(\"weekly\"'), ('def test_week', 'def test_weekly')],\n"
            "    'README.md': [('greenhouse week readings', 'greenhouse weekly readings')],\n"
            "}\n"
            "for name, pairs in changes.items():\n"
            "    path = pathlib.Path(name)\n"
            "    text = path.read_text(encoding='utf-8')\n"
            "    for old, new in pairs:\n"
            "        print(name, text.count(old), repr(old))\n"
            "        text = text.replace(old, new)\n"
            "    path.write_text(text, encoding='utf-8')\n"
            "EOF"
        ),
        fails(bash("python3 run_tests.py week cli")),
    ),
    step(
        "The two tests that know the old attribute. The first one is better with numbers where mean and median differ:",
        edit(
            "tests/test_week.py",
            """
    def test_mean(self) -> None:
        (summary,) = weekly_summary(hours(5, 6, 10), [SALAT])
        self.assertEqual(summary.mean, 7)
""",
            """
    def test_median_ignores_one_hot_noon(self) -> None:
        (summary,) = weekly_summary(hours(5, 6, 40), [SALAT])
        self.assertEqual(summary.median, 6)
""",
        ),
        edit("tests/test_week.py", "(summary.mean, summary.moisture)", "(summary.median, summary.moisture)"),
        bash("python3 run_tests.py"),
    ),
    step(
        "`weekly` and the median are in, all tests are green. The daily `report` keeps its mean; say so if you want the median there too."
    ),
    shell("python3 -m greenhouse weekly readings/2026-02.csv --journal log/valve.log", after=95),
    user(
        "Perfect, that is what I wanted 🥒 The daily mean may stay. Sum up what changed today, so that I can put it in my notes.",
        after=50,
    ),
    step(
        """
**Summary of 2 March 2026**

Goal reached: `report`, `alerts` and `plan` are right for February, and January still works.

- **Readings**: empty cells and `ERR` are "not known" and no longer end the run; a row written twice counts once; everything is °C, °F rows are converted by their `unit` column.
- **Limits**: `config/beds.json` in °C (5 / 8 / 2 / 4).
- **Options**: `--frost-below` (°C) is new; `--threshold` stays as an alias, a bare number there is °F, so cron goes on as before.
- **Watering**: at least 8 hours between two waterings of a bed, midnight or not. That was the cause of the double watering in the night to the 12th.
- **New command** `weekly`: a table per ISO week with min / median / max, hours of frost, moisture, minutes of water.
- **Docs**: README and docs/notes.md say the same as the code.

Your three constraints: the CSV files have the checksums of this morning, all public names are still there (`watered_on` is no longer used by the plan, but kept), and nothing needs installing.

Worth a look when you are in the greenhouse:
1. Head s3 (Salat) keeps falling below 2,800 mV since 11 February, its battery wants changing.
2. Head s2 (Gurken) lost contact on the 5th and the 9th, both times from 13:00 to 15:00: perhaps heat at the plug.
3. `ERR` from s4 on the 8th and the 12th.

Viel Spaß im Gewächshaus! 🌱
""",
        thinking="For the notes: short, by subject and not by time. The three constraints deserve a line each. The rows "
        "showed three things about the hardware that the user may not know.",
    ),
)
