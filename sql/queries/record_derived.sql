-- purpose: note which files the derived schema was built from
-- params: fingerprint
insert or replace into meta values ('derived_fingerprint', $fingerprint)
