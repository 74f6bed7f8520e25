"""The story of the agent that works alone by shell, chapter by chapter."""

from recording.ledger_story import checking, exact, looking, outer, recurring, wrapping_up
from recording.moves import Story

CHAPTERS = (looking, exact, outer, checking, wrapping_up, recurring)

STORY: Story = tuple(move for chapter in CHAPTERS for move in chapter.STORY)
