-- purpose: where chunks of sessions stand; a row that was retired holds again
-- params:
insert into source
select
    id, 'transcript', path, node_sha, file_sha, session, byte_start, byte_end, line_start, line_end,
    parser_version, seen_at, null
from incoming
on conflict (id) do update set
    -- Of two equal chunks at one place the first counts, also where a later run brings the second.
    file_sha = if(source.retired_at is null, source.file_sha, excluded.file_sha),
    byte_end = if(source.retired_at is null, source.byte_end, excluded.byte_end),
    line_start = if(source.retired_at is null, source.line_start, excluded.line_start),
    line_end = if(source.retired_at is null, source.line_end, excluded.line_end),
    retired_at = null
