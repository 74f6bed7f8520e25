"""Where the state of sessions lies on this machine when nobody names a place."""


def default_state_dir() -> str:
    """Where snapshots and archive lie when nobody names a place."""
    from platformdirs import user_state_dir

    return user_state_dir("ctxmgr", appauthor=False)
