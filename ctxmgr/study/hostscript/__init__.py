"""The command `drive`: scripts of a host."""
