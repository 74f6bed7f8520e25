"""The command `compare`: strategies of summarising on the same cut."""
