"""The first task: rows with an empty or broken cell. A large read, an edit that quotes the file wrong."""

# ruff: noqa: E501 (long lines are the words of the user and the agent)

from recording.moves import Story, bash, edit, fails, grep, read, step, user

STORY: Story = (
    user(
        "Good plan, go ahead with the crash. But read the February file properly before you decide what a bad row is, "
        "I don't want to find a third kind next week.",
        after=540,
    ),
    step(
        "Then I'll read all of it and not only the lines that fail.",
        read("readings/2026-02.csv"),
        thinking="1,155 rows at about 48 bytes is a little over what one read gives. Still better than guessing from "
        "grep patterns: the user asked for it.",
    ),
    step("", read("readings/2026-02.csv", offset=1081)),
    step(
        "By eye I see two kinds of damage: empty `moisture` cells of head s2 and `ERR` as the temperature of s4. Let me make sure that these are all.",
        grep(",,|,$", "readings/2026-02.csv"),
        bash(
            "python3 - <<'EOF'\n"
            "import csv, collections\n"
            "odd = collections.Counter()\n"
            "for row in csv.DictReader(open('readings/2026-02.csv', encoding='utf-8')):\n"
            "    for name in ('temp', 'humidity', 'moisture', 'battery_mv'):\n"
            "        try:\n"
            "            float(row[name])\n"
            "        except ValueError:\n"
            "            odd[row['sensor'], name, row[name]] += 1\n"
            "for key, count in sorted(odd.items()):\n"
            "    print(*key, count, sep=' | ')\n"
            "EOF"
        ),
    ),
    step(
        "Two kinds, eight rows: six times no moisture (s2), twice `ERR` (s4). Humidity and battery are always there. "
        "So `temp` and `moisture` become `float | None`, and the rest stays strict.",
        fails(
            edit(
                "greenhouse/readings.py",
                "    temp: float  # Fahrenheit\n    humidity: int  # percent\n    moisture: float  # percent",
                "    temp: float | None  # Fahrenheit, None when the chip hangs\n    humidity: int  # percent\n"
                "    moisture: float | None  # percent, None when the head has no contact",
            )
        ),
        thinking="None and not NaN: NaN compares false with everything and would slip through min and max unseen.",
    ),
    step(
        "I quoted that from memory and got a comment wrong. Reading the lines again.",
        read("greenhouse/readings.py", offset=27, limit=44),
    ),
    step(
        "",
        edit(
            "greenhouse/readings.py",
            """
    temp: float  # °F
    humidity: int  # percent
    moisture: float  # percent of what the soil can hold
""",
            """
    temp: float | None  # °F; None when the chip hangs
    humidity: int  # percent
    moisture: float | None  # percent of what the soil can hold; None when the head has no contact
""",
        ),
        edit(
            "greenhouse/readings.py",
            '''
def parse_row(row: dict[str, str]) -> Reading:
    """Turns one row of a CSV file into a `Reading`; ValueError when a cell is no number."""
    return Reading(
        time=datetime.fromisoformat(row["time"]),
        bed=row["bed"],
        sensor=row["sensor"],
        temp=float(row["temp"]),
        humidity=int(row["humidity"]),
        moisture=float(row["moisture"]),
''',
            '''
def _measured(cell: str) -> float | None:
    """A measured value, or None for the two ways in which a head says that it has none."""
    return None if cell in NOT_MEASURED else float(cell)


def parse_row(row: dict[str, str]) -> Reading:
    """Turns one row of a CSV file into a `Reading`; ValueError when a cell makes no sense at all."""
    return Reading(
        time=datetime.fromisoformat(row["time"]),
        bed=row["bed"],
        sensor=row["sensor"],
        temp=_measured(row["temp"]),
        humidity=int(row["humidity"]),
        moisture=_measured(row["moisture"]),
''',
        ),
    ),
    step(
        "Now the constant, and a test with the two real rows.",
        edit(
            "greenhouse/readings.py",
            "LOW_BATTERY_MV = 2800\n",
            "LOW_BATTERY_MV = 2800\n\n# What a head writes when it could not measure: nothing, or ERR when the chip hangs.\n"
            'NOT_MEASURED = ("", "ERR")',
        ),
        read("tests/test_readings.py"),
    ),
    step(
        "",
        edit(
            "tests/test_readings.py",
            """
class Group(unittest.TestCase):
""",
            '''
class Dropouts(unittest.TestCase):
    """Rows as the new heads really wrote them."""

    def test_no_contact(self) -> None:
        (reading,) = load("2026-02-05T13:00,Gurken,s2,23.3,C,65,,3100")
        self.assertIsNone(reading.moisture)
        self.assertEqual(reading.humidity, 65)

    def test_chip_hangs(self) -> None:
        (reading,) = load("2026-02-08T04:00,Kräuter,s4,ERR,C,81,31.7,3090")
        self.assertIsNone(reading.temp)
        self.assertEqual(reading.moisture, 31.7)

    def test_nonsense_is_still_an_error(self) -> None:
        with self.assertRaisesRegex(ReadingError, "rows.csv:2: "):
            load("2026-02-08T04:00,Kräuter,s4,warm,C,81,31.7,3090")


class Group(unittest.TestCase):
''',
        ),
        bash("python3 run_tests.py readings"),
    ),
)
