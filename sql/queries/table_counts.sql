-- purpose: how many rows each table holds (DuckDB's own estimate still counts deleted ones)
-- params:
select 'background_term' as table_name, count(*) as row_count from background_term
union all
select 'draft_record' as table_name, count(*) as row_count from draft_record
union all
select 'embedding_384' as table_name, count(*) as row_count from embedding_384
union all
select 'feedback' as table_name, count(*) as row_count from feedback
union all
select 'floor' as table_name, count(*) as row_count from floor
union all
select 'ledger' as table_name, count(*) as row_count from ledger
union all
select 'lesson' as table_name, count(*) as row_count from lesson
union all
select 'lesson_event' as table_name, count(*) as row_count from lesson_event
union all
select 'lesson_verdict' as table_name, count(*) as row_count from lesson_verdict
union all
select 'match_log' as table_name, count(*) as row_count from match_log
union all
select 'memory_node' as table_name, count(*) as row_count from memory_node
union all
select 'meta' as table_name, count(*) as row_count from meta
union all
select 'node_edge' as table_name, count(*) as row_count from node_edge
union all
select 'node_validity' as table_name, count(*) as row_count from node_validity
union all
select 'note_policy' as table_name, count(*) as row_count from note_policy
union all
select 'passage' as table_name, count(*) as row_count from passage
union all
select 'reply_cache' as table_name, count(*) as row_count from reply_cache
union all
select 'shortlist_policy' as table_name, count(*) as row_count from shortlist_policy
union all
select 'skill' as table_name, count(*) as row_count from skill
union all
select 'skill_clause' as table_name, count(*) as row_count from skill_clause
union all
select 'skill_term' as table_name, count(*) as row_count from skill_term
union all
select 'source' as table_name, count(*) as row_count from source
union all
select 'task' as table_name, count(*) as row_count from task
union all
select 'task_set' as table_name, count(*) as row_count from task_set
union all
select 'task_term' as table_name, count(*) as row_count from task_term
union all
select 'tool_call' as table_name, count(*) as row_count from tool_call
union all
select 'transcript_file' as table_name, count(*) as row_count from transcript_file
order by table_name
