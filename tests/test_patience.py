"""A wait outlasts a busy machine, and not a process that hangs."""

import os
import subprocess
import sys

import pytest

from tests import patience


class Late(Exception):
    pass


def test_a_process_that_works_is_waited_for() -> None:
    tries = []

    def attempt(seconds: float) -> str:
        tries.append(seconds)
        if len(tries) < 4:
            while os.times().user + os.times().system < len(tries) * 0.05 + began:
                pass  # this process is the one that is looked at: it works
            raise Late
        return "came"

    began = os.times().user + os.times().system
    assert patience.until(os.getpid(), attempt, Late) == "came"
    assert len(tries) == 4


def test_a_process_that_does_nothing_is_given_up_at_once() -> None:
    tries = []

    def attempt(seconds: float) -> str:
        tries.append(seconds)
        raise Late

    with subprocess.Popen([sys.executable, "-c", "print(); input()"], stdin=-1, stdout=-1) as process:
        assert process.stdout is not None
        process.stdout.readline()  # it is up, and waits
        with pytest.raises(Late):
            patience.until(process.pid, attempt, Late)
        process.kill()
    assert len(tries) <= 2  # the first may see the end of its start
