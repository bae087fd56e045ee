-- purpose: the ids of `incoming` that are kept already
-- params:
select id from incoming
where id in (select id from match_log) or id in (select id from feedback)
