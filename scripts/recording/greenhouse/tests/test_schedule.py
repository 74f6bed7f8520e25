import unittest
from datetime import datetime, timedelta

from greenhouse.beds import Bed
from greenhouse.journal import Watering
from greenhouse.readings import Reading
from greenhouse.schedule import next_watering, plan_watering

NOW = datetime(2026, 1, 14, 18, 0)
TOMATEN = Bed("Tomaten", "tomato", 1, frost_below=41.0, heat_above=95.0, dry_below=35.0, minutes=10)
GURKEN = Bed("Gurken", "cucumber", 2, frost_below=46.4, heat_above=93.2, dry_below=40.0, minutes=8)


def reading(bed: str, moisture: float, hours_ago: int = 0) -> Reading:
    return Reading(NOW - timedelta(hours=hours_ago), bed, "s0", 60.0, 60, moisture, 3000)


def watered(bed: str, hours_ago: int) -> Watering:
    end = NOW - timedelta(hours=hours_ago)
    return Watering(bed, end - timedelta(minutes=8), end, "schedule")


class Plan(unittest.TestCase):
    def test_moist_soil_gets_nothing(self) -> None:
        self.assertEqual(plan_watering([reading("Tomaten", 50)], [TOMATEN], [], NOW), [])

    def test_dry_soil_gets_its_minutes(self) -> None:
        (plan,) = plan_watering([reading("Tomaten", 30)], [TOMATEN], [], NOW)
        self.assertEqual((plan.bed, plan.valve, plan.minutes), ("Tomaten", 1, 10))

    def test_very_dry_soil_gets_more(self) -> None:
        (plan,) = plan_watering([reading("Tomaten", 24)], [TOMATEN], [], NOW)
        self.assertEqual(plan.minutes, 15)

    def test_one_valve_at_a_time(self) -> None:
        rows = [reading("Gurken", 35), reading("Tomaten", 30)]
        first, second = plan_watering(rows, [TOMATEN, GURKEN], [], NOW)
        self.assertEqual((first.bed, second.bed), ("Tomaten", "Gurken"))
        self.assertGreater(second.start, first.end)

    def test_noon_pause(self) -> None:
        noon = NOW.replace(hour=12)
        self.assertEqual(plan_watering([reading("Tomaten", 30)], [TOMATEN], [], noon), [])

    def test_watered_this_morning(self) -> None:
        self.assertEqual(plan_watering([reading("Gurken", 35)], [GURKEN], [watered("Gurken", 10)], NOW), [])

    def test_stale_reading_says_nothing(self) -> None:
        self.assertEqual(plan_watering([reading("Gurken", 35, hours_ago=4)], [GURKEN], [], NOW), [])

    def test_next_watering(self) -> None:
        plans = plan_watering([reading("Tomaten", 30)], [TOMATEN], [], NOW)
        self.assertEqual(next_watering(plans, "Tomaten"), plans[0])
        self.assertIsNone(next_watering(plans, "Gurken"))
