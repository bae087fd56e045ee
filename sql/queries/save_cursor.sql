-- purpose: note how far a transcript was read
-- params: path, format, head_sha, next_byte, next_line, state, counts, parser_version
insert or replace into transcript_file
values ($path, $format, $head_sha, $next_byte, $next_line, $state, $counts, $parser_version)
