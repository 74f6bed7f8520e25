"""One temperature unit: the agent sets out for the wrong one and is corrected."""

# ruff: noqa: E501 (long lines are the words of the user and the agent)

from recording.moves import Story, bash, edit, shell, step, user

STORY: Story = (
    shell("python3 run_tests.py readings report", after=900),
    user("Same result on my machine 👍 On to the units then. One unit everywhere, please.", after=45),
    step(
        "The README says that all temperatures are in Fahrenheit, so I'll convert February's rows on the way in.",
        edit(
            "greenhouse/readings.py",
            '''
def parse_row(row: dict[str, str]) -> Reading:
    """Turns one row of a CSV file into a `Reading`; ValueError when a cell makes no sense at all."""
    return Reading(
        time=datetime.fromisoformat(row["time"]),
        bed=row["bed"],
        sensor=row["sensor"],
        temp=_measured(row["temp"]),
''',
            '''
def _temperature(row: dict[str, str]) -> float | None:
    """The temperature in °F, whatever unit the head writes."""
    value = _measured(row["temp"])
    if value is None or row["unit"] == "F":
        return value
    return to_fahrenheit(value)


def parse_row(row: dict[str, str]) -> Reading:
    """Turns one row of a CSV file into a `Reading`; ValueError when a cell makes no sense at all."""
    return Reading(
        time=datetime.fromisoformat(row["time"]),
        bed=row["bed"],
        sensor=row["sensor"],
        temp=_temperature(row),
''',
        ),
        edit(
            "greenhouse/readings.py",
            "from pathlib import Path\n\nCOLUMNS",
            "from pathlib import Path\n\nfrom greenhouse.units import to_fahrenheit\n\nCOLUMNS",
        ),
        thinking="One place for the conversion: parse_row, as planned. The program is documented in °F, so °F it is.",
    ),
    step(
        "",
        bash("python3 run_tests.py readings && python3 -m greenhouse report readings/2026-02.csv --day 2026-02-11"),
    ),
    step(
        "February now shows 32.7 °F as Salat's lowest on the 11th, which is right: 0.4 °C. "
        "Every temperature in the program is °F now, also for the new heads. I'd write the tests next."
    ),
    user(
        "no, use Celsius everywhere, not Fahrenheit. Nobody here thinks in °F, that README line is from the first "
        "loggers. Inside, in the reports, in beds.json, in the options. January's rows get converted.",
        after=75,
    ),
)
