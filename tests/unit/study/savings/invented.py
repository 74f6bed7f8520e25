"""Measured sessions that nothing was measured for."""

from ctxmgr.study.savings.agents import KeptSession
from ctxmgr.study.savings.measuring import MeasuredSession, PolicyFigures


def session(
    number: int, calls: int = 100, dollars: float | None = 1.0, share: float = 0.6, kept: int = 90
) -> MeasuredSession:
    return MeasuredSession(
        KeptSession("Codex", f"/s/{number:03d}"),
        calls=calls,
        dollars=dollars,
        is_counted=True,
        model="gpt-5.5",
        priced_as="gpt-5.5",
        is_known=True,
        policies={"balanced": PolicyFigures(share, kept, 100)},
    )


def many(count: int, calls: int = 100, **more: float) -> list[MeasuredSession]:
    """Whose shares differ a little: the mean is `share`."""
    share = more.pop("share", 0.6)
    return [
        session(at + 1_000 * calls, calls, share=share + (0.02 if at % 2 else -0.02), **more) for at in range(count)
    ]  # type: ignore[arg-type]
