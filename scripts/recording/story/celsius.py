"""The agent turns round: Celsius everywhere. A text that occurs three times can not be edited as one."""

# ruff: noqa: E501 (long lines are the words of the user and the agent)

from recording.moves import Story, bash, edit, fails, grep, read, step, todo, write

STORY: Story = (
    step(
        "Understood: Celsius everywhere, and °F only where January's rows come in. I'll turn it round, beginning with "
        "the task list and a look at every place that knows a unit.",
        todo(
            "x look around, make a plan",
            "x readings: survive rows with an empty or broken cell",
            "> Celsius everywhere (inside, reports, beds.json, options); January converted in parse_row",
            ". alerts: limits of the beds in Celsius",
            "x plan: a bed with a dropout still gets its water",
            ". tests with real rows of both months, in Celsius",
            ". README and notes brought up to date",
        ),
        grep("°F|[Ff]ahrenheit|FREEZING"),
        thinking="The user decided: Celsius. My reading of the README was wrong. Public names to_fahrenheit, to_celsius, "
        "format_temperature and parse_temperature must stay, but what they take by default changes to °C.",
    ),
    step(
        "The module of the units first. All four names stay; what changes is that the program's own unit is °C.",
        write(
            "greenhouse/units.py",
            '''
"""Temperatures: Celsius inside the program. Fahrenheit only comes in, from old loggers and old options."""

FREEZING_F = 32.0


def to_fahrenheit(celsius: float) -> float:
    """21.5 °C -> 70.7 °F."""
    return celsius * 9 / 5 + FREEZING_F


def to_celsius(fahrenheit: float) -> float:
    """70.7 °F -> 21.5 °C."""
    return (fahrenheit - FREEZING_F) * 5 / 9


def format_temperature(value: float, unit: str = "C") -> str:
    """A temperature held in Celsius, as text in the wanted unit: "21.5 °C" or "70.7 °F"."""
    if unit == "F":
        value = to_fahrenheit(value)
    return f"{value:.1f} °{unit}"


def parse_temperature(text: str) -> float:
    """Turns "3.3", "3.3C" or "38F" into Celsius. A bare number is Celsius."""
    cleaned = text.strip().upper().replace("°", "")
    if cleaned.endswith("F"):
        return to_celsius(float(cleaned[:-1]))
    if cleaned.endswith("C"):
        return float(cleaned[:-1])
    return float(cleaned)
''',
        ),
        read("greenhouse/readings.py"),
    ),
    step(
        "",
        edit(
            "greenhouse/readings.py",
            '''
    """The temperature in °F, whatever unit the head writes."""
    value = _measured(row["temp"])
    if value is None or row["unit"] == "F":
        return value
    return to_fahrenheit(value)
''',
            '''
    """The temperature in °C, whatever unit the head writes."""
    value = _measured(row["temp"])
    if value is None or row["unit"] == "C":
        return value
    if row["unit"] == "F":
        return round(to_celsius(value), 1)  # the heads give one decimal, no more is known
    raise ValueError(f"unknown unit {row['unit']!r}")
''',
        ),
        edit("greenhouse/readings.py", "import to_fahrenheit", "import to_celsius"),
        edit("greenhouse/readings.py", "temp: float | None  # °F;", "temp: float | None  # °C;"),
        edit(
            "greenhouse/report.py",
            "  # °F; None when nothing was measured all day\n    mean: float | None  # °F\n    highest: float | None  # °F",
            "  # °C; None when nothing was measured all day\n    mean: float | None  # °C\n    highest: float | None  # °C",
        ),
        edit("greenhouse/report.py", "(°F)\\n{table}", "(°C)\\n{table}"),
    ),
    step(
        "Now the limits. 41 °F is 5 °C and 35.6 °F is 2 °C exactly, somebody chose them in °C to begin with.",
        write(
            "config/beds.json",
            """
{
  "beds": [
    {"name": "Tomaten", "crop": "tomato", "valve": 1, "frost_below": 5.0, "heat_above": 35.0, "dry_below": 35.0, "minutes": 10},
    {"name": "Gurken", "crop": "cucumber", "valve": 2, "frost_below": 8.0, "heat_above": 34.0, "dry_below": 40.0, "minutes": 8},
    {"name": "Salat", "crop": "lettuce", "valve": 3, "frost_below": 2.0, "heat_above": 25.0, "dry_below": 38.0, "minutes": 6},
    {"name": "Kräuter", "crop": "herbs", "valve": 4, "frost_below": 4.0, "heat_above": 30.0, "dry_below": 28.0, "minutes": 4}
  ]
}
""",
        ),
        edit(
            "greenhouse/beds.py",
            "    frost_below: float  # °F\n    heat_above: float  # °F\n",
            "    frost_below: float  # °C\n    heat_above: float  # °C\n",
        ),
        fails(edit("greenhouse/alerts.py", "°F", "°C")),
    ),
    step(
        "Three places, of course. All three mean the same, so in one go:",
        bash(
            "python3 - <<'EOF'\n"
            "import pathlib\n"
            "path = pathlib.Path('greenhouse/alerts.py')\n"
            "path.write_text(path.read_text(encoding='utf-8').replace('°F', '°C'), encoding='utf-8')\n"
            "EOF"
        ),
        fails(bash("python3 run_tests.py")),
    ),
)
