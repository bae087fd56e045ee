-- purpose: how far each transcript was read
-- params:
select path, format, head_sha, next_byte, next_line, state, counts, parser_version
from transcript_file
order by path
