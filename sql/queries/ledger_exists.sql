-- purpose: whether this database has a ledger: 0 or 1
-- params:
select count(*) from duckdb_tables() where schema_name = 'main' and table_name = 'ledger'
