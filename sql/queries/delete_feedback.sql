-- purpose: forget what was said before a moment
-- params: before
delete from feedback where said_at < $before
