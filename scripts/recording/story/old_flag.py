"""A correction with a reason: the old option stays as an alias."""

# ruff: noqa: E501 (long lines are the words of the user and the agent)

from recording.moves import Story, bash, edit, grep, read, step, user

STORY: Story = (
    user(
        "Careful with the option: actually keep the old CLI flag as an alias. Cron on the Pi calls `--threshold 38` and I "
        "can't get at that box before spring. There a bare number has to go on meaning °F, or I get frost mails until June.",
        after=160,
    ),
    step(
        "Good that you say so, docs/notes.md even mentions that cron line. So: `--frost-below` in °C, and `--threshold` "
        "as an old alias whose bare numbers are °F.",
        read("greenhouse/cli.py", offset=26, limit=20),
        grep("threshold", "docs", "*.md"),
    ),
    step(
        "",
        edit(
            "greenhouse/cli.py",
            '    parser.add_argument("--frost-below", type=parse_temperature)\n',
            '    parser.add_argument("--frost-below", type=parse_temperature)\n'
            "    # The old name. Cron on the Pi calls it with a bare number, which always was °F.\n"
            '    parser.add_argument("--threshold", dest="frost_below", type=parse_old_threshold)\n',
        ),
        edit("greenhouse/cli.py", "import parse_temperature", "import parse_old_threshold, parse_temperature"),
        edit(
            "greenhouse/units.py",
            """
def parse_temperature(text: str) -> float:
""",
            '''
def parse_old_threshold(text: str) -> float:
    """As `parse_temperature`, but a bare number is Fahrenheit: what `--threshold` has always meant."""
    return parse_temperature(text if text.strip().upper().endswith(("C", "F")) else text + "F")


def parse_temperature(text: str) -> float:
''',
        ),
        edit(
            "tests/test_cli.py",
            """
    def test_plan(self) -> None:
""",
            """
    def test_old_threshold_is_fahrenheit(self) -> None:
        _, cold, _ = run("alerts", self.csv, "--threshold", "38")
        _, warm, _ = run("alerts", self.csv, "--threshold", "40")
        self.assertNotIn("frost", cold)
        self.assertIn("1 frost", warm)

    def test_old_threshold_with_unit(self) -> None:
        self.assertEqual(run("alerts", self.csv, "--threshold", "5C"), run("alerts", self.csv, "--frost-below", "5"))

    def test_plan(self) -> None:
""",
        ),
        bash("python3 run_tests.py cli units"),
    ),
    step(
        "`--threshold 38` works again and means 38 °F (3.3 °C); with a unit it takes either. `--frost-below 3.3` is the "
        "name for new calls. Two tests hold that in place, so cron will not notice anything.",
        thinking="Say what each of the two options means, with numbers, so that no doubt is left about the unit.",
    ),
)
