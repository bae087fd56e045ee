-- purpose: how sure each lesson was after each day on which anything was met
-- grain: one row a lesson and day, from the lesson's first day on
-- units: day in UTC; good and bad are counts; confidence in [0, 1], as in lesson_current
-- source: lesson_event, lesson_verdict
with days as (
    select distinct cast(happened_at as date) as day
    from lesson_event
    where happened_at is not null
),

known as (
    select
        days.day,
        lesson_event.lesson_id,
        count(distinct lesson_event.session) filter (where lesson_event.kind = 'fix') as fixed,
        count(distinct lesson_event.session) filter (where lesson_event.kind = 'contradiction')
        + count(*) filter (where lesson_event.kind = 'flaky') as contradicted,
        max(cast(lesson_event.happened_at as date)) filter (where lesson_event.kind in ('failure', 'fix')) as last_day
    from days
    inner join lesson_event on cast(lesson_event.happened_at as date) <= days.day
    group by days.day, lesson_event.lesson_id
),

judged as (
    -- A person's word weighs as much as two sessions, from the day on which it was said.
    select
        known.lesson_id,
        known.day,
        known.fixed
        + case when lesson_verdict.verdict in ('confirmed', 'pinned') then 2 else 0 end as good,
        known.contradicted
        + case when lesson_verdict.verdict = 'retired' then 2 else 0 end as bad,
        coalesce(date_diff('day', known.last_day, known.day), 0) as age_days
    from known
    left join lesson_verdict
        on known.lesson_id = lesson_verdict.lesson_id
        and cast(lesson_verdict.said_at as date) <= known.day
)

select
    lesson_id,
    day,
    good,
    bad,
    (1.0 + good) / (2.0 + good + bad) * pow(0.5, greatest(age_days, 0) / 90.0) as confidence
from judged
