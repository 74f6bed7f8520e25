"""The long turn goes on: the numbers are checked against the raw rows, the last Fahrenheit is found."""

# ruff: noqa: E501 (long lines are the words of the user and the agent)

from recording.moves import Story, bash, edit, grep, read, step

STORY: Story = (
    step(
        "That looks plausible, but plausible is not checked. The raw rows of the second week, from Monday the 9th on:",
        read("readings/2026-02.csv", offset=579),
        thinking="Line 579 or so begins 9 February. I compare some cells by eye and the rest with a script that does not "
        "use the project's code at all.",
    ),
    step(
        "And the same week once more, with a few lines that use nothing of the project:",
        bash(
            "python3 - <<'EOF'\n"
            "import csv, statistics\n"
            "limits = {'Tomaten': 5, 'Gurken': 8, 'Salat': 2, 'Kräuter': 4}\n"
            "temps, last = {}, {}\n"
            "for row in csv.DictReader(open('readings/2026-02.csv', encoding='utf-8')):\n"
            "    if row['time'] >= '2026-02-09':\n"
            "        if row['temp'] != 'ERR':\n"
            "            temps.setdefault(row['bed'], {})[row['time']] = float(row['temp'])\n"
            "        last[row['bed']] = row['moisture'] or last[row['bed']]\n"
            "for bed, by_time in temps.items():\n"
            "    values = list(by_time.values())\n"
            "    frost = sum(value < limits[bed] for value in values)\n"
            "    print(bed, min(values), round(statistics.fmean(values), 1), max(values), frost, last[bed], len(values))\n"
            "EOF"
        ),
    ),
    step(
        "Same numbers, 144 hours a bed less one `ERR`. Now the water: the log from the 9th on.",
        read("log/valve.log", offset=314),
    ),
    step(
        "",
        bash(
            "python3 - <<'EOF'\n"
            "import collections\n"
            "opened = collections.Counter()\n"
            "for line in open('log/valve.log', encoding='utf-8'):\n"
            "    words = line.split()\n"
            "    if words[1] == 'open' and words[0] >= '2026-02-09':\n"
            "        opened[words[3]] += 1\n"
            "print(*sorted(opened.items()), sep='\\n')\n"
            "EOF"
        ),
    ),
    step(
        "Three times Tomaten (30 min), four times Gurken with the double one (32 min), three times Salat (18 min) and Kräuter "
        "(12 min): the table agrees. January:",
        bash("python3 -m greenhouse week readings/2026-01.csv"),
    ),
    step(
        "Good: one partial week, dashes where there is no log. Tests for the command itself:",
        edit(
            "tests/test_cli.py",
            """
    def test_unknown_command(self) -> None:
""",
            """
    def test_week(self) -> None:
        code, out, _ = run("week", self.csv)
        self.assertEqual(code, 0)
        self.assertTrue(out.startswith("week 3 of 2026, from Mon 2026-01-12 (°C)"))

    def test_week_with_broken_log(self) -> None:
        log = Path(self.csv).with_suffix(".log")
        log.write_text("2026-01-14T06:00:14 open valve=1\\n", encoding="utf-8")
        code, _, err = run("week", self.csv, "--journal", str(log))
        self.assertEqual((code, err), (2, "error: line 1: 2026-01-14T06:00:14 open valve=1\\n"))

    def test_unknown_command(self) -> None:
""",
        ),
        bash("python3 run_tests.py"),
    ),
    step(
        "All green. Next: what still speaks Fahrenheit?",
        grep("°F|[Ff]ahrenheit|41\\.0|46\\.4|35\\.6", glob="*.[mp][dy]"),
    ),
    step(
        "Right as they are: `units.py`, the January rows and the cron line. Left over: two beds in `test_schedule.py` and "
        "the README.",
        read("tests/test_schedule.py"),
    ),
    step(
        "",
        edit(
            "tests/test_schedule.py",
            'TOMATEN = Bed("Tomaten", "tomato", 1, frost_below=41.0, heat_above=95.0, dry_below=35.0, minutes=10)\n'
            'GURKEN = Bed("Gurken", "cucumber", 2, frost_below=46.4, heat_above=93.2, dry_below=40.0, minutes=8)\n',
            'TOMATEN = Bed("Tomaten", "tomato", 1, frost_below=5.0, heat_above=35.0, dry_below=35.0, minutes=10)\n'
            'GURKEN = Bed("Gurken", "cucumber", 2, frost_below=8.0, heat_above=34.0, dry_below=40.0, minutes=8)\n',
        ),
        edit("tests/test_schedule.py", '"s0", 60.0, 60, moisture', '"s0", 15.5, 60, moisture'),
    ),
)
