-- purpose: how many records of asking and answering are older than a moment
-- params: before
select
    (select count(*) from match_log where asked_at < $before)
    + (select count(*) from feedback where said_at < $before) as expired
