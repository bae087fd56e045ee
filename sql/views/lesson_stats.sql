-- purpose: how often, when last and in how many sessions a lesson was met, and what speaks against it
-- grain: one row a lesson
-- units: first_seen, last_seen in UTC; all others are counts
-- source: lesson, lesson_event
select
    lesson.id as lesson_id,
    count(*) filter (where lesson_event.kind = 'failure') as seen,
    count(distinct lesson_event.session) filter (where lesson_event.kind = 'failure') as sessions,
    count(*) filter (where lesson_event.kind = 'fix') as fixes,
    count(distinct lesson_event.session) filter (where lesson_event.kind = 'fix') as fix_sessions,
    count(*) filter (where lesson_event.kind = 'flaky') as flaky,
    count(distinct lesson_event.session) filter (where lesson_event.kind = 'contradiction') as contradictions,
    min(lesson_event.happened_at) filter (where lesson_event.kind = 'failure') as first_seen,
    max(lesson_event.happened_at) filter (where lesson_event.kind in ('failure', 'fix')) as last_seen
from lesson
left join lesson_event on lesson.id = lesson_event.lesson_id
group by lesson.id
