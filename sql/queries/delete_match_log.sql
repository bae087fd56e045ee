-- purpose: forget what was asked before a moment
-- params: before
delete from match_log where asked_at < $before
