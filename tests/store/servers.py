"""Real stores for tests: versitygw (S3, in Go), moto (S3, in Python) and a folder."""

import contextlib
import itertools
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

BUCKET, KEY, SECRET = "sessions", "testing", "testing-secret"
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": KEY,
    "AWS_SECRET_ACCESS_KEY": SECRET,
    "AWS_REGION": "us-east-1",
    "AWS_ALLOW_HTTP": "true",
}


@contextlib.contextmanager
def versitygw(program: Path, folder: Path) -> Iterator[str]:
    """Its address, once it takes connections; `folder` holds its buckets."""
    (folder / BUCKET).mkdir(parents=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [
        str(program),
        "--access",
        KEY,
        "--secret",
        SECRET,
        "--port",
        address,
        "--quiet",
        "posix",
        str(folder),
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            while process.poll() is None:
                with contextlib.suppress(OSError), socket.create_connection(tuple_of(address), 1.0):
                    break
            assert process.poll() is None, "versitygw ended at its start"
            yield f"http://{address}"
        finally:
            process.terminate()


def tuple_of(address: str) -> tuple[str, int]:
    host, _, port = address.partition(":")
    return host, int(port)


@contextlib.contextmanager
def moto(port: int = 0) -> Iterator[str]:
    """Its address. What it holds outlives it: one that is started again at its port has it all."""
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", port, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        url = f"http://{host}:{port}"
        client = boto3.client(
            "s3", endpoint_url=url, region_name="us-east-1", aws_access_key_id=KEY, aws_secret_access_key=SECRET
        )
        client.create_bucket(Bucket=BUCKET)
        client.close()
        yield url
    finally:
        server.stop()


def pointed_at(url: str, monkeypatch: pytest.MonkeyPatch, folder: str) -> str:
    """The store's address, with what stands in the environment for it."""
    for name, value in {**ENVIRONMENT, "AWS_ENDPOINT": url, "AWS_ENDPOINT_URL": url}.items():
        monkeypatch.setenv(name, value)
    return f"s3://{BUCKET}/{folder}"


def fresh() -> str:
    """A folder that no other test has used: all servers of moto in a process share what they hold."""
    return f"folder-{next(_numbers)}"


_numbers = itertools.count()
