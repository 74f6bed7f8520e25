"""Objects in a bucket, through obstore: S3 and compatible stores, Google Cloud Storage and Azure.

Each request is tried once. The protocol resolves lost answers, and a hidden retry by obstore would conflict with
its own first attempt.
"""

from collections.abc import Awaitable
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    NotSupportedError,
    PreconditionError,
)
from obstore.store import ObjectStore, from_url

from ctxmgr.store.objects.interface import (
    NO_BUCKET,
    NO_OBJECT,
    Conflict,
    ListedObject,
    Missing,
    StoredObject,
    StoreFault,
    StoreUnreachable,
    cause,
)

CONNECT = "5s"
ANSWER = "20s"  # for one request; a part of a snapshot is about 100 kB
ONCE: Any = {"max_retries": 0, "retry_timeout": timedelta(seconds=20)}
NO_SWAP = "this store cannot swap an object where it is unchanged (If-Match), which ctxmgr needs"
Value = TypeVar("Value")


class ObstoreObjects:
    def __init__(self, store: Any) -> None:
        self._store = store

    @staticmethod
    def of(url: str) -> "ObstoreObjects":
        """obstore reads credentials, region and endpoint from the environment (AWS_...)."""
        client: Any = {"connect_timeout": CONNECT, "timeout": ANSWER, "allow_http": True}
        more: Any = {"config": {"conditional_put": "etag"}} if url.startswith(("s3://", "s3a://")) else {}
        store: ObjectStore = from_url(url, client_options=client, retry_config=ONCE, **more)
        return ObstoreObjects(store)

    def remembered_in(self, state_dir: Path) -> "ObstoreObjects":
        """A bucket is never created, so a missing one is not mistaken for an empty one."""
        return self

    async def get(self, key: str) -> StoredObject:
        async def get() -> StoredObject:
            answer = await self._store.get_async(key)
            return StoredObject(bytes(await answer.bytes_async()), answer.meta["e_tag"] or "")

        return await _answered(get(), Missing(NO_OBJECT))

    async def put(self, key: str, content: bytes) -> None:
        await _answered(self._store.put_async(key, content, use_multipart=False))

    async def put_if_match(self, key: str, content: bytes, tag: str) -> str:
        return await self._swapped(key, content, {"e_tag": tag})

    async def put_if_none_match(self, key: str, content: bytes) -> str:
        return await self._swapped(key, content, "create")

    async def _swapped(self, key: str, content: bytes, mode: Any) -> str:
        put = self._store.put_async(key, content, mode=mode, use_multipart=False)
        answer = await _answered(put, conflict=Conflict("another head is there"))
        return answer["e_tag"] or ""

    async def listed(self, prefix: str) -> list[ListedObject]:
        async def listing() -> list[Any]:
            return [entry async for part in self._store.list(prefix) for entry in part]

        listed = [
            ListedObject(entry["path"], entry["size"], int(entry["last_modified"].timestamp() * 1000))
            for entry in await _answered(listing())
        ]
        return sorted(listed, key=lambda entry: entry.key)

    async def delete(self, key: str) -> None:
        try:
            await _answered(self._store.delete_async(key), Missing(NO_OBJECT))
        except Missing:
            return


async def _answered(
    request: Awaitable[Value], missing: StoreFault | None = None, conflict: StoreFault | None = None
) -> Value:
    try:
        return await request
    except (AlreadyExistsError, PreconditionError):
        raise (conflict or StoreUnreachable("the store refused what has no condition")) from None
    except FileNotFoundError as fault:
        if missing is None or "NoSuchBucket" in str(fault):
            raise StoreUnreachable(NO_BUCKET) from None
        raise missing from None
    except (NotSupportedError, NotImplementedError):
        raise StoreUnreachable(NO_SWAP) from None
    except (BaseError, OSError) as fault:
        raise StoreUnreachable(cause(fault, "write")) from None
