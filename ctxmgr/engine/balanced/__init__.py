"""The preset that decides once a cache epoch what leaves. Knows no session and no state file."""
