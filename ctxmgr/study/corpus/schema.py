"""Turns the structs of `rows` into Parquet schemas, and rows into tables of them."""

from collections.abc import Sequence

import msgspec
import pyarrow as pa
from msgspec import inspect

from ctxmgr.study.corpus.rows import SCHEMA_VERSION

VERSION_KEY = b"ctxmgr.schema"  # of a file's metadata
SIMPLE = {
    inspect.StrType: pa.string(),
    inspect.LiteralType: pa.string(),
    inspect.IntType: pa.int64(),
    inspect.FloatType: pa.float64(),
    inspect.BoolType: pa.bool_(),
}


def schema(of: type[msgspec.Struct]) -> pa.Schema:
    """A column a field, in their order; the version in the metadata."""
    return pa.schema(_fields(of), metadata={VERSION_KEY: str(SCHEMA_VERSION).encode()})


def table(rows: Sequence[msgspec.Struct], of: type[msgspec.Struct]) -> pa.Table:
    """All of one struct."""
    return pa.Table.from_pylist([msgspec.to_builtins(row) for row in rows], schema=schema(of))


def version(of: pa.Schema) -> int | None:
    """Of a file that was written here; None of another."""
    written = (of.metadata or {}).get(VERSION_KEY, b"")
    return int(written) if written.isdigit() else None


def _fields(of: type[msgspec.Struct]) -> list[pa.Field]:
    found = inspect.type_info(of)
    assert isinstance(found, inspect.StructType)
    return [pa.field(one.name, *_type(one.type)) for one in found.fields]


def _type(of: inspect.Type) -> tuple[pa.DataType, bool]:
    """The type, and whether it may be null."""
    if isinstance(of, inspect.Metadata):
        return _type(of.type)
    if isinstance(of, inspect.UnionType):
        (whole,) = (one for one in of.types if not isinstance(one, inspect.NoneType))
        return _type(whole)[0], True
    if isinstance(of, inspect.VarTupleType):
        return pa.list_(_type(of.item_type)[0]), False
    if isinstance(of, inspect.StructType):
        return pa.struct(_fields(of.cls)), False
    return SIMPLE[type(of)], False
