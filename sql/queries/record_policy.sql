-- purpose: note which policy and lexicon are loaded
-- params: fingerprint
insert or replace into meta values ('policy_fingerprint', $fingerprint)
