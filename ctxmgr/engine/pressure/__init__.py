"""How full the window is and when to ask for a compaction: meter, zones, latch. Knows no message."""
