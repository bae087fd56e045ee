-- purpose: forget the shortlist's policy and lexicon, before others are loaded
-- params:
delete from shortlist_policy;
delete from background_term;
