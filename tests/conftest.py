"""Settings of the whole suite: properties draw the same examples each time, and no clock decides."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "ctxmgr",
    deadline=None,
    derandomize=True,
    print_blob=False,
    database=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ctxmgr")
