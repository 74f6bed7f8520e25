"""When a process is given up, and when another one is tried. No clock: the time is told, in milliseconds."""

from ctxmgr.client.settings import RestartLimits

LATE_CALLS = 5  # in a row; with those of `context` ten seconds in which the host had to do without


class Restarts:
    def __init__(self, limits: RestartLimits) -> None:
        self._limits = limits
        self._start_times_ms: list[float] = []

    def delay_ms(self, now: float) -> float | None:
        """How long to wait for the next, which counts from now on; None when there were enough."""
        limits = self._limits
        self._start_times_ms = [time_ms for time_ms in self._start_times_ms if time_ms > now - limits.within_ms]
        if len(self._start_times_ms) >= limits.limit:
            return None
        self._start_times_ms.append(now)
        return min(limits.first_delay_ms * 2.0 ** (len(self._start_times_ms) - 1), limits.longest_delay_ms)


class SignsOfLife:
    """Tells a process that hangs from one that is late.

    1. One late call says little: on a loaded machine everything is late. It is cancelled, which asks for an answer
       as cheap as there is; that one, and any other byte, is a sign of life.
    2. Who gives no sign of life for `hang_ms` after a call was late hangs.
    3. Who is alive, and leaves so many calls in a row without their answer, is of no use.
    4. From a late call to the next sign of life a process is in doubt: nobody should wait for it.
    """

    def __init__(self, hang_ms: float) -> None:
        self._hang_ms = hang_ms
        self._late_calls = 0
        self._since: float | None = None  # of the doubt

    @property
    def doubted(self) -> bool:
        return self._since is not None

    def wrote(self) -> None:
        """The process wrote something."""
        self._since = None

    def answered(self) -> None:
        """A call was answered, be it with an error."""
        self._late_calls = 0

    def late(self, now: float) -> None:
        """A call that should be short was not answered in time."""
        self._late_calls += 1
        if self._since is None:
            self._since = now

    def hangs(self, now: float) -> bool:
        silent = self._since is not None and now - self._since >= self._hang_ms
        return silent or self._late_calls >= LATE_CALLS
