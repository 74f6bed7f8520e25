"""The story of the talkative session, chapter by chapter: many short turns, decisions and changes of mind."""

from recording.moves import Story
from recording.site_story import addresses, asking, drafts, feed_and_search, images, leaving, years_round

CHAPTERS = (asking, drafts, addresses, feed_and_search, images, years_round, leaving)

STORY: Story = tuple(move for chapter in CHAPTERS for move in chapter.STORY)
