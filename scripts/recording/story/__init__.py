"""The story that is recorded, chapter by chapter."""

from recording.moves import Story
from recording.story import (
    celsius,
    celsius_tested,
    closing,
    dropouts,
    dropouts_shown,
    duplicates,
    fahrenheit,
    looking,
    old_flag,
    watering,
    week,
    week_checked,
    week_tested,
    week_written,
)

CHAPTERS = (
    looking,
    dropouts,
    dropouts_shown,
    fahrenheit,
    celsius,
    celsius_tested,
    old_flag,
    duplicates,
    watering,
    week,
    week_tested,
    week_checked,
    week_written,
    closing,
)

STORY: Story = tuple(move for chapter in CHAPTERS for move in chapter.STORY)
