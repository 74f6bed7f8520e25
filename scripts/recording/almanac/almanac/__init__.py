"""A small generator of static sites."""
