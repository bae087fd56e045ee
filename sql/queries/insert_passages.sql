-- purpose: keep passages; those that are known stay as they are
-- params:
insert into passage
select owner, ordinal, part, starts, stops, text_sha, terms, counts from incoming
on conflict do nothing
