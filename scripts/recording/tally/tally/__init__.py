"""Plain-text bookkeeping."""
