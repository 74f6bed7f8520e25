"""What must be true of every list that leaves, a file a rule. Decides nothing."""
