"""The first task goes on with the report: a command that is not there, tests that are red first."""

# ruff: noqa: E501 (long lines are the words of the user and the agent)

from recording.moves import Story, bash, edit, fails, step, todo

STORY: Story = (
    step(
        "The loader is fine. The other modules still expect numbers, so a test for the report first, to see it fail.",
        edit(
            "tests/test_report.py",
            """
class Tables(unittest.TestCase):
""",
            """
class Dropouts(unittest.TestCase):
    def test_hours_without_temperature_do_not_count(self) -> None:
        rows = [ROWS[0], dataclasses.replace(ROWS[1], temp=None), ROWS[2]]
        (summary,) = daily_summary(rows, date(2026, 1, 14))
        self.assertEqual((summary.lowest, summary.mean, summary.rows), (58.0, 59.0, 3))

    def test_last_known_moisture(self) -> None:
        rows = [ROWS[0], dataclasses.replace(ROWS[1], moisture=None)]
        (summary,) = daily_summary(rows, date(2026, 1, 14))
        self.assertEqual(summary.moisture, 50.0)

    def test_a_day_without_any_temperature(self) -> None:
        rows = [dataclasses.replace(ROWS[0], temp=None)]
        self.assertIn(" - ", format_report(daily_summary(rows, date(2026, 1, 14))))


class Tables(unittest.TestCase):
""",
        ),
        edit("tests/test_report.py", "import unittest\n", "import dataclasses\nimport unittest"),
        fails(bash("python3 -m pytest -q tests/test_report.py")),
    ),
    step(
        "Right, there is no pytest here and there shall be none. The project's own runner:",
        fails(bash("python3 run_tests.py report")),
    ),
    step(
        "Three red tests for the right reason. Now the report: statistics over what was measured, and a dash where nothing was.",
        edit(
            "greenhouse/report.py",
            """
    lowest: float  # °F
    mean: float  # °F
    highest: float  # °F
    humidity: float  # percent, mean of the day
    moisture: float  # percent, last of the day
""",
            """
    lowest: float | None  # °F; None when nothing was measured all day
    mean: float | None  # °F
    highest: float | None  # °F
    humidity: float  # percent, mean of the day
    moisture: float | None  # percent, the last known of the day
""",
        ),
        edit(
            "greenhouse/report.py",
            """
        temps = [row.temp for row in rows]
        summaries.append(
            Summary(
                day=day,
                bed=bed,
                lowest=min(temps),
                mean=fmean(temps),
                highest=max(temps),
                humidity=sum(row.humidity for row in rows) / len(rows),
                moisture=rows[-1].moisture,
""",
            """
        temps = [row.temp for row in rows if row.temp is not None]
        moistures = [row.moisture for row in rows if row.moisture is not None]
        summaries.append(
            Summary(
                day=day,
                bed=bed,
                lowest=min(temps, default=None),
                mean=fmean(temps) if temps else None,
                highest=max(temps, default=None),
                humidity=sum(row.humidity for row in rows) / len(rows),
                moisture=moistures[-1] if moistures else None,
""",
        ),
        edit(
            "greenhouse/report.py",
            """
        f"{row.lowest:.1f}",
        f"{row.mean:.1f}",
        f"{row.highest:.1f}",
        f"{row.humidity:.0f} %",
        f"{row.moisture:.1f} %",
        "low" if row.low_battery else "ok",
    )
""",
            '''
        number(row.lowest),
        number(row.mean),
        number(row.highest),
        f"{row.humidity:.0f} %",
        number(row.moisture, " %"),
        "low" if row.low_battery else "ok",
    )


def number(value: float | None, unit: str = "") -> str:
    """One decimal, or a dash for what is not known."""
    return "-" if value is None else f"{value:.1f}{unit}"
''',
        ),
    ),
    step(
        "Alerts skip hours without a value; the plan takes the newest reading that knows the moisture.",
        edit(
            "greenhouse/alerts.py",
            """
        alerts += _stretches("frost", bed, [(r.time, r.temp) for r in rows if r.temp < frost], min)
        alerts += _stretches("heat", bed, [(r.time, r.temp) for r in rows if r.temp > bed.heat_above], max)
        alerts += _stretches("dry", bed, [(r.time, r.moisture) for r in rows if r.moisture < bed.dry_below], min)
""",
            """
        temps = [(row.time, row.temp) for row in rows if row.temp is not None]
        moistures = [(row.time, row.moisture) for row in rows if row.moisture is not None]
        alerts += _stretches("frost", bed, [pair for pair in temps if pair[1] < frost], min)
        alerts += _stretches("heat", bed, [pair for pair in temps if pair[1] > bed.heat_above], max)
        alerts += _stretches("dry", bed, [pair for pair in moistures if pair[1] < bed.dry_below], min)
""",
        ),
        edit(
            "greenhouse/schedule.py",
            "    newest = latest(readings, now)\n",
            "    # A head without contact says nothing about the soil: go back to the last reading that does.\n"
            "    newest = latest([reading for reading in readings if reading.moisture is not None], now)",
        ),
        bash("python3 run_tests.py"),
    ),
    step(
        "All green. And the command that started this:",
        bash("python3 -m greenhouse report readings/2026-02.csv"),
        bash("python3 -m greenhouse plan readings/2026-02.csv --now 2026-02-09T15:30"),
    ),
    step(
        "",
        todo(
            "x look around, make a plan",
            "x readings: survive rows with an empty or broken cell",
            ". one temperature unit everywhere, taken from the unit column",
            ". alerts: limits of the beds in that unit",
            "x plan: a bed with a dropout still gets its water",
            "> tests for all of that, January included",
            ". README and notes brought up to date",
        ),
    ),
    step(
        """
The crash is gone: `report` goes through all twelve days of February.

- An empty cell or `ERR` becomes `None` in the reading, and the row stays. Anything else that is no number is still an error with file and line.
- The report leaves such hours out and prints `-` if a whole day has nothing.
- Alerts skip them, and the plan goes back to the last reading with a moisture value, at most three hours.
- Six new tests, three of them with rows straight from your file. 55 tests, all green.

The temperatures in that table are still °C under a heading that says °F. That is the next task.
"""
    ),
)
