"""What each method of a session does. Knows no framing and no device."""
