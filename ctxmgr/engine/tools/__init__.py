"""What a tool call reads, writes, edits, deletes, runs, lists or searches.

The only place that knows names of tools and of their arguments.
"""
