"""Stand-ins for real hosts: the list that pi keeps, the tree that it writes. Knows nothing of ctxmgr."""
