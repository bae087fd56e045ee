-- purpose: where nodes are read at present; a row that was retired holds again
-- params:
insert into source
select
    id, kind, path, node_sha, file_sha, session, byte_start, byte_end, line_start, line_end,
    parser_version, seen_at, null
from incoming
on conflict (id) do update set
    file_sha = excluded.file_sha,
    byte_start = excluded.byte_start,
    byte_end = excluded.byte_end,
    line_start = excluded.line_start,
    line_end = excluded.line_end,
    parser_version = excluded.parser_version,
    retired_at = null
