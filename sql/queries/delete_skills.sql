-- purpose: forget skills whose file is gone or has changed
-- params:
delete from skill where path in (select path from incoming)
