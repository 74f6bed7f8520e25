"""What each API refuses in a request: sentences as the real ones say them. A file an API, with `refused`."""
