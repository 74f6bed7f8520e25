"""A session that is handed from machine to machine, with kills at any moment: what the store promises, by force."""
