-- purpose: the schema steps that ran
-- params:
select number, name, sha from ledger order by number
