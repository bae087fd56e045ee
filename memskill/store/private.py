"""A private copy of the database, for people who look around in it with SQL of their own."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from memskill.config import Settings
from memskill.store.connection import open_store

if TYPE_CHECKING:
    import duckdb


def private_copy(settings: Settings) -> duckdb.DuckDBPyConnection:
    """Return a connection to the vault's database as it is now, which nobody else can see.

    DuckDB shuts writers out while anybody reads a file. So the database is held only while its
    file is copied. The copy has no name any more when this returns and goes with the
    connection: a notebook that stays open for days is in nobody's way.

    Raises:
        NotFound: There is no database yet.
        StoreBusy, StoreBehind, StoreError: See `open_store`.
    """
    import duckdb

    with tempfile.TemporaryDirectory(prefix="memskill-") as folder:
        copy = Path(folder) / "memory.duckdb"
        with open_store(settings):
            for name in (copy.name, f"{copy.name}.wal"):
                source = settings.database.with_name(name)
                if source.is_file():
                    shutil.copyfile(source, copy.with_name(name))
        # An extension would be downloaded: never by itself.
        config: dict[str, str | bool | int | float | list[str]] = {
            "autoinstall_known_extensions": False,
            "threads": 1,
        }
        return duckdb.connect(str(copy), read_only=True, config=config)
