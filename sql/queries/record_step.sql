-- purpose: note that a schema step ran
-- params: number, name, sha
insert into ledger values ($number, $name, $sha, (now() at time zone 'UTC'))
