"""Sensor readings, watering and frost alerts of a small greenhouse."""
