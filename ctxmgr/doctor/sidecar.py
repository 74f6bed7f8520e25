"""A sidecar, spawned on a state directory of its own: does it answer, and how fast?"""

import tempfile
import time
from collections.abc import Iterator

from ctxmgr.client import Client, SidecarFault, SpawnedSidecar
from ctxmgr.doctor.diagnosis import Diagnosis, Surroundings

SUBJECT = "sidecar"
SLOW_MS = 3_000.0  # from the spawn to the first answer: a third of what clients wait
MODEL = {"id": "doctor", "contextWindow": 200_000}
MESSAGES = [{"role": "user", "content": "Is anybody there?"}]


def sidecar(_: Surroundings) -> Iterator[Diagnosis]:
    with tempfile.TemporaryDirectory(prefix="ctxmgr-doctor-") as state:
        try:
            start_ms, context_ms = _asked(state)
        except SidecarFault as fault:
            advice = "run `ctxmgr serve` by hand: it says on standard error what is in its way"
            yield Diagnosis("bad", SUBJECT, f"ctxmgr serve does not answer: {fault}", advice)
            return
    text = f"ctxmgr serve answers {start_ms:,.0f} ms after it was spawned, a list in {context_ms:,.0f} ms"
    if start_ms > SLOW_MS:
        yield Diagnosis("warn", SUBJECT, text, "a slow disk or a busy machine: look again when it is idle")
    else:
        yield Diagnosis("ok", SUBJECT, text)


def _asked(state: str) -> tuple[float, float]:
    """Milliseconds until a session had begun, and for its first list. Raises SidecarFault."""
    begun = time.perf_counter()
    with Client(format="openai", sidecar=SpawnedSidecar(state_dir=state)) as client:
        session = client.session("doctor", MODEL)
        _raise(client)
        started = time.perf_counter()
        session.context(MESSAGES)
        _raise(client)
        return (started - begun) * 1000, (time.perf_counter() - started) * 1000


def _raise(client: Client) -> None:
    if client.trouble is not None:
        raise client.trouble
