"""Whether a query file still fits the schema, without running it on rows."""

from __future__ import annotations

import duckdb

from memskill.store.sqlfiles import SqlFile


def prepare_fault(con: duckdb.DuckDBPyConnection, file: SqlFile) -> str:
    """Return what DuckDB says against a query file, or "" where it can be planned.

    Its parameters are null. A script of several statements runs for real, since each builds on
    the one before; what reads `incoming` is left to the tests of the store, which bring the frame.
    """
    statements = con.extract_statements(file.text)
    try:
        if len(statements) > 1:
            con.execute(file.text, dict.fromkeys(file.params))
        else:
            con.execute(f"explain {statements[0].query}", dict.fromkeys(file.params)).fetchall()
    except duckdb.Error as error:
        return "" if "Table with name incoming" in str(error) else str(error).splitlines()[0]
    return ""
