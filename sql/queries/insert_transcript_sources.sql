-- purpose: where chunks of sessions stand; a row that was retired holds again
-- params:
insert into source
select
    id, 'transcript', path, node_sha, file_sha, session, byte_start, byte_end, line_start, line_end,
    parser_version, seen_at, null
from incoming
on conflict (id) do update set retired_at = null
