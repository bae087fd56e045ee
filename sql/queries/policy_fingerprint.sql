-- purpose: which policy and lexicon are loaded
-- params:
select value from meta where key = 'policy_fingerprint'
