-- purpose: keep the background lexicon
-- params:
insert into background_term
select term, df from incoming
