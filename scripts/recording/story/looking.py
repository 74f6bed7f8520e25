"""The user says what is wanted; the agent looks around and makes a plan."""

# ruff: noqa: E501 (long lines are the words of the user and the agent)

from recording.moves import Story, bash, fails, find, ls, read, step, todo, user

STORY: Story = (
    user(
        """
Since the new sensor heads came in February the greenhouse reports are useless: `report` stops half way on the February file, and I don't trust `alerts` either.

Goal: make `report`, `alerts` and `plan` work and be right for readings/2026-02.csv, without breaking January.

Constraints:
- never touch the CSV files, the loggers are still appending to them
- keep the public function names, I have two scripts of my own that import them
- standard library only, nothing to install on the Pi

Have a look around first and tell me what you would do. Don't change anything yet.
""",
        after=12,
    ),
    step(
        "I'll look at the layout first, then read the code from the readings up to the command line.",
        ls(),
        find("*.py"),
        thinking="The user wants a plan before any change. Read everything once: it is a small project. "
        "CSV files are off limits for writing; reading them is fine.",
    ),
    step("", read("README.md"), read("docs/notes.md")),
    step(
        "The notes already give a strong hint: the new heads log °C and nobody looks at the `unit` column. Now the code.",
        read("greenhouse/readings.py"),
        read("greenhouse/units.py"),
    ),
    step("", read("greenhouse/report.py"), read("greenhouse/alerts.py")),
    step("", read("greenhouse/beds.py"), read("config/beds.json")),
    step("", read("greenhouse/schedule.py"), read("greenhouse/journal.py")),
    step("Last the command line and the test runner.", read("greenhouse/cli.py"), read("run_tests.py")),
    step(
        "Now what happens today: the tests, then both months.",
        bash("cd /home/dev/greenhouse && python3 run_tests.py"),
        fails(bash("cd /home/dev/greenhouse && python3 -m greenhouse report readings/2026-02.csv")),
    ),
    step(
        "",
        bash("head -n 4 readings/2026-01.csv; echo; head -n 6 readings/2026-02.csv"),
        bash("python3 -m greenhouse report readings/2026-01.csv --day 2026-01-14"),
        thinking="All 49 tests pass, so none of them has seen a February row. The first bad row is line 247, an empty "
        "moisture cell. The unit column says F in January and C in February.",
    ),
    step(
        "I have seen enough for a plan. I'll keep it as a task list so that nothing gets lost.",
        todo(
            "> look around, make a plan",
            ". readings: survive rows with an empty or broken cell",
            ". one temperature unit everywhere, taken from the unit column",
            ". alerts: limits of the beds in that unit",
            ". plan: a bed with a dropout still gets its water",
            ". tests for all of that, January included",
            ". README and notes brought up to date",
        ),
    ),
    step(
        """
Here is what I found, and what I would do.

**What is wrong**

1. `load_readings` gives up at the first cell that is no number. The February file has an empty `moisture` cell in line 247, so `report` ends there.
2. The `unit` column is never read. January is in °F, February in °C, and everything is treated as °F. 13.2 °C would count as 13.2 °F, so every row of February would be a frost alert.
3. `latest` hands the newest reading to the plan even if its moisture is missing. Once (1) is fixed, that needs an answer too.

**Plan**

- [ ] readings: a bad cell becomes "not known", the row stays
- [ ] one unit inside the program, converted once, in `parse_row`
- [ ] alerts and `config/beds.json` in the same unit
- [ ] plan: use the newest reading *that has a moisture value*
- [ ] tests with real rows of both months
- [ ] README and docs/notes.md

I will not write to anything under `readings/`, all public names stay, and nothing needs installing. Shall I start with the crash?
"""
    ),
)
