"""Floor 2: turns a preparation into a written summary. Strategies ask for completions and never make one."""
