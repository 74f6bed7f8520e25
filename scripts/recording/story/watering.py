"""A fault in the schedule, found in the log of the valves (the second large read), and a correction of its cure."""

# ruff: noqa: E501 (long lines are the words of the user and the agent)

from recording.moves import Story, bash, edit, fails, grep, read, step, todo, user

STORY: Story = (
    user(
        "Now the watering. In the night to the 12th the cucumbers (Gurken) got water twice within the hour, I heard the "
        "pump. The log is log/valve.log. Why did that happen?",
        after=2220,
    ),
    step(
        "I'll read the whole log, so that I see what is normal and what is not.",
        read("log/valve.log"),
        thinking="44 kB, fits one read. Polls each half hour are noise, but gaps in them would matter (power cut, clock).",
    ),
    step(
        "The polls have no gap, so the clock is fine. Gurken's waterings, and what the soil said in that night:",
        grep("bed=Gurken", "log/valve.log"),
        grep("2026-02-1(1T2[0-9]|2T0[0-3]).*Gurken", "readings/2026-02.csv"),
    ),
    step(
        "23:40 on the 11th and again 00:20 on the 12th, both by schedule. Let me ask the plan for that moment: with the whole log, and with the log as it was then.",
        bash("python3 -m greenhouse plan readings/2026-02.csv --now 2026-02-12T00:20 --journal log/valve.log"),
        bash(
            "head -n 470 log/valve.log | "
            "python3 -m greenhouse plan readings/2026-02.csv --now 2026-02-12T00:20 --journal /dev/stdin"
        ),
        thinking="The full log already holds the 00:20 watering itself, so the plan with it says nothing. With the log as "
        "it was at 00:20 (the first 470 lines) the plan should water again, if my idea is right.",
    ),
    step(
        "There it is: with the log as it was at that time, the plan gives Gurken water again. Back to the rule in the code.",
        read("greenhouse/schedule.py", offset=1, limit=60),
    ),
    step(
        "Rule 3 says *today*, and at 00:20 the watering of 23:40 was *yesterday*. The soil could not help: the head still "
        "showed 31.6 % at midnight, the water reached it by one. The rule needs a distance in time and not a calendar day.",
        edit(
            "greenhouse/schedule.py",
            '''
3. A bed that got water today gets none today.
"""

from dataclasses import dataclass
from datetime import datetime, time, timedelta

from greenhouse.beds import Bed
from greenhouse.journal import Watering, watered_on
''',
            '''
3. Between two waterings of a bed there are at least MIN_GAP, midnight or not.
"""

from dataclasses import dataclass
from datetime import datetime, time, timedelta

from greenhouse.beds import Bed
from greenhouse.journal import Watering, last_watering
''',
        ),
        edit(
            "greenhouse/schedule.py",
            "    return not watered_on(journal, bed.name, now.date())\n",
            "    last = last_watering(journal, bed.name, now)\n    return last is None or now - last.end >= MIN_GAP\n",
        ),
        edit(
            "greenhouse/schedule.py",
            "# The valve needs this long",
            "# Water needs an hour to reach the sensor head, and roots want to dry in between.\n"
            "MIN_GAP = timedelta(hours=12)\n\n# The valve needs this long",
        ),
        edit(
            "tests/test_schedule.py",
            """
    def test_stale_reading_says_nothing(self) -> None:
""",
            '''
    def test_watered_shortly_before_midnight(self) -> None:
        """The night to 12 February 2026: 23:40, and again 00:20."""
        now = datetime(2026, 2, 12, 0, 20)
        before = Watering("Gurken", datetime(2026, 2, 11, 23, 40), datetime(2026, 2, 11, 23, 48), "schedule")
        row = Reading(datetime(2026, 2, 12), "Gurken", "s2", 14.4, 83, 31.6, 3086)
        self.assertEqual(plan_watering([row], [GURKEN], [before], now), [])
        self.assertEqual(len(plan_watering([row], [GURKEN], [], now)), 1)

    def test_stale_reading_says_nothing(self) -> None:
''',
        ),
    ),
    step(
        "",
        bash(
            "python3 run_tests.py schedule journal && head -n 470 log/valve.log | "
            "python3 -m greenhouse plan readings/2026-02.csv --now 2026-02-12T00:20 --journal /dev/stdin"
        ),
    ),
    step(
        """
Found and fixed. "Watered today" was asked by calendar day: at 00:20 the watering of 23:40 counted as yesterday, and the sensor head had not noticed the water yet (31.6 % at midnight, 58.7 % at one).

Now a bed rests at least 12 hours between two waterings (`MIN_GAP` in `schedule.py`), and your night is a test. `watered_on` stays where it is, since it is a public name.
"""
    ),
    user(
        "Makes sense, but 12 is too long: in July the tomatoes need water at six in the morning and again at five. "
        "Make it 8 hours.",
        after=100,
    ),
    step(
        "",
        edit("greenhouse/schedule.py", "MIN_GAP = timedelta(hours=12)", "MIN_GAP = timedelta(hours=8)"),
        fails(bash("python3 run_tests.py schedule")),
    ),
    step(
        "One test waters ten hours before and expects a rest; under the old rule that was the same day. With 8 hours the "
        "test is what has to change, and I'll pin both sides of the limit.",
        edit(
            "tests/test_schedule.py",
            """
    def test_watered_this_morning(self) -> None:
        self.assertEqual(plan_watering([reading("Gurken", 35)], [GURKEN], [watered("Gurken", 10)], NOW), [])
""",
            """
    def test_rest_of_eight_hours(self) -> None:
        rows = [reading("Gurken", 35)]
        self.assertEqual(plan_watering(rows, [GURKEN], [watered("Gurken", 7)], NOW), [])
        self.assertEqual(len(plan_watering(rows, [GURKEN], [watered("Gurken", 8)], NOW)), 1)
""",
        ),
        bash("python3 run_tests.py schedule"),
    ),
    step("Eight hours it is: six in the morning and five in the afternoon both work, 23:40 and 00:20 do not. 💧"),
    user("Back from lunch. Where are we?", after=4380),
    step(
        "",
        todo(
            "x look around, make a plan",
            "x readings: survive rows with an empty or broken cell, and rows written twice",
            "x Celsius everywhere (inside, reports, beds.json, options); January converted in parse_row",
            "x alerts: limits of the beds in Celsius; --threshold stays as an alias in °F",
            "x plan: a bed with a dropout still gets its water",
            "x plan: 8 hours between two waterings of a bed",
            "> tests with real rows of both months, in Celsius",
            ". README and notes brought up to date",
        ),
    ),
    step(
        """
Hope it was good. Here is where we are:

- [x] the crash on February's file: bad cells are "not known", the row stays
- [x] °C everywhere, January converted on the way in
- [x] limits in `config/beds.json` in °C, `--frost-below` new, `--threshold 38` works as before
- [x] rows written twice count once, the CSV files are untouched
- [x] 8 hours between two waterings of a bed
- [ ] a few old °F numbers are left in `tests/test_schedule.py`
- [ ] README and docs/notes.md still say Fahrenheit

Nothing is blocked.
"""
    ),
)
