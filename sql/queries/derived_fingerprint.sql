-- purpose: the fingerprint of the files that the derived schema was built from
-- params:
select value from meta where key = 'derived_fingerprint'
