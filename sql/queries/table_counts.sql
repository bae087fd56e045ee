-- purpose: how many rows each table holds, as DuckDB estimates them
-- params:
select table_name, estimated_size from duckdb_tables() where schema_name = 'main' order by table_name
