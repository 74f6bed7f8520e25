"""The session tree of the pi coding agent, and trees of messages in any format. Knows no engine."""
