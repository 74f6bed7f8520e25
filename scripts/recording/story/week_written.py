"""The long turn ends: documentation, a last look, the proof that was asked for."""

# ruff: noqa: E501 (long lines are the words of the user and the agent)

from recording.moves import Story, bash, edit, fails, read, step, todo, write

CHECKSUMS = bash(
    "python3 - <<'EOF'\n"
    "import hashlib, pathlib\n"
    "for path in sorted(pathlib.Path('readings').glob('*.csv')):\n"
    "    content = path.read_bytes()\n"
    "    print(path, len(content.splitlines()), 'lines', hashlib.sha256(content).hexdigest()[:16])\n"
    "EOF"
)

STORY: Story = (
    step("", read("README.md")),
    step(
        "",
        write(
            "README.md",
            """
# greenhouse

Small tools for the greenhouse behind the house: reads what the sensor loggers write, says which bed
needs water, and warns about frost. Python 3.11 or newer, standard library only.

## Use

    python3 -m greenhouse report readings/2026-02.csv
    python3 -m greenhouse report readings/2026-02.csv --day 2026-02-11
    python3 -m greenhouse week readings/2026-02.csv --journal log/valve.log
    python3 -m greenhouse alerts readings/2026-02.csv --frost-below 3.3
    python3 -m greenhouse plan readings/2026-02.csv --now 2026-02-12T18:00 --journal log/valve.log
    python3 -m greenhouse journal log/valve.log

All temperatures are in °C. Files of the old loggers are in °F and are converted when they are read: the `unit`
column of each row says which it is.

`--frost-below` overrides the frost limit of every bed for one run. `--threshold` is its old name and still works;
there a bare number means °F, because that is what cron calls it with.

## What the readings may look like

The tools only ever read the CSV files; the loggers append to them all the time.

| in the file | what becomes of it |
|---|---|
| empty `moisture` | not known; the row stays, the plan uses the last known value, up to three hours old |
| `ERR` as `temp` | not known; the hour does not count in minima, means and maxima |
| the same row twice | counts once |
| anything else that is no number | an error that says file and line |

## Files

| path | what |
|---|---|
| `greenhouse/readings.py` | sensor readings, one CSV file a month |
| `greenhouse/units.py` | Celsius, and Fahrenheit where it comes in |
| `greenhouse/beds.py` | the four beds and their limits |
| `greenhouse/schedule.py` | which bed gets water, for how long; 8 hours between two waterings |
| `greenhouse/journal.py` | the log of the valves |
| `greenhouse/alerts.py` | frost, heat, dry soil |
| `greenhouse/report.py` | tables for the terminal, a day each |
| `greenhouse/week.py` | the same for calendar weeks, with hours of frost and minutes of water |
| `greenhouse/cli.py` | the command line |
| `config/beds.json` | limits (°C) and watering minutes of each bed |
| `docs/notes.md` | how the box in the greenhouse is set up |

## Tests

    python3 run_tests.py            # everything
    python3 run_tests.py readings   # tests/test_readings.py alone
""",
        ),
    ),
    step("Then the notes. I read them at the very beginning, so once more before I edit.", read("docs/notes.md")),
    step(
        "",
        edit(
            "docs/notes.md",
            "  Both say so in the `unit` column, which was always there and always ignored.",
            "  Both say so in the `unit` column, which the tools go by.",
        ),
        fails(
            edit(
                "docs/notes.md",
                "- After a reboot, the logger of `s3` writes its last row once more.",
                "- After a reboot the logger of `s3` writes its last row once more. The tools count it once.",
            )
        ),
    ),
    step(
        "A comma too many on my side.",
        edit(
            "docs/notes.md",
            "writes its last row once more.\n",
            "writes its last row once more. The tools count it once.\n"
            "- Water needs about an hour to reach a sensor head, so a bed rests 8 hours between two waterings.\n",
        ),
        edit(
            "docs/notes.md",
            "every hour and mails the output if there is any.",
            "every hour and mails the output if there is any.\n"
            "  The 38 is °F: `--threshold` is the old option, `--frost-below 3.3` would be the new one.",
        ),
    ),
    step("One more look at the finished module, with fresh eyes.", read("greenhouse/week.py")),
    step(
        "`_summary` lets `find_alerts` look at all beds though the rows are of one. Harmless, but a bed that is not in "
        "beds.json is then silently without frost. That deserves a word in the docstring and nothing more.",
        edit(
            "greenhouse/week.py",
            '    """One summary a week and bed, oldest week first, beds in the order of the readings."""\n',
            '    """One summary a week and bed, oldest week first, beds in the order of the readings.\n\n'
            '    A bed that is not among `beds` has no limits, and so no hours of frost.\n    """',
        ),
        bash("python3 run_tests.py"),
    ),
    step(
        "And the whole way once more as you would call it, old option included.",
        bash(
            "python3 -m greenhouse week readings/2026-02.csv --journal log/valve.log; "
            "python3 -m greenhouse alerts readings/2026-02.csv --threshold 38; "
            "python3 -m greenhouse report readings/2026-02.csv"
        ),
    ),
    step("Last the proof that the CSV files are as they were.", CHECKSUMS),
    step(
        "",
        todo(
            "x week: summary per calendar week and bed (new module greenhouse/week.py)",
            "x week: tests, among them the turn of the year",
            "x week: command line, --journal optional",
            "x check the numbers of February against the raw rows and the log",
            "x no Fahrenheit left over, also in tests/test_schedule.py",
            "x README and docs/notes.md brought up to date",
            "x show that the CSV files are unchanged",
        ),
    ),
    step(
        """
`week` is there, with tests and documentation.

**What it shows**: a table per ISO week (Monday first), a line per bed: min / mean / max in °C, hours of frost, last known moisture, minutes of water. `--journal` is optional, without it the water column is a dash.

**What I decided**
- weeks are ISO weeks, so 29 December 2025 is in week 1 of 2026 (my first version had that wrong, a test caught it)
- partial weeks are shown with what there is, January is one
- water counts in the week in which it *started*

**Checked**: week 7 against the raw rows with a script of its own, and the minutes against the log: 30 / 32 / 18 / 12. The 32 of Gurken contain the double watering.

**CSV files**: same checksums as this morning, `6cf7cf522bc4e7c7` and `69cd75f224781228`.
"""
    ),
)
