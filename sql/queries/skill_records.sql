-- purpose: what is kept of each skill file: its path and the sha of everything said of it
-- params:
select path, record_sha from skill order by path
