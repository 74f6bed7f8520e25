"""Decides once a cache epoch what leaves. Knows no preset, no state and no session."""
