-- purpose: lessons with their state and their confidence; what a person said beats what was counted
-- grain: one row a lesson
-- units: confidence in [0, 1]: the mean of Beta(1 + good, 1 + bad) times 0.5 ^ (age in days / 90)
-- source: lesson, lesson_stats, lesson_verdict; Josang & Ismail, "The Beta Reputation System" (2002)
with newest as (
    -- Age counts to the newest event of any lesson, not to today: same events, same numbers.
    select max(happened_at) as happened_at from lesson_event
),

judged as (
    select
        lesson.*,
        lesson_stats.* exclude (lesson_id),
        coalesce(lesson_verdict.verdict, '') as verdict,
        -- A person's word weighs as much as two sessions.
        lesson_stats.fix_sessions
        + case when lesson_verdict.verdict in ('confirmed', 'pinned') then 2 else 0 end as good,
        lesson_stats.contradictions + lesson_stats.flaky
        + case when lesson_verdict.verdict = 'retired' then 2 else 0 end as bad,
        coalesce(date_diff('day', lesson_stats.last_seen, newest.happened_at), 0) as age_days
    from lesson
    inner join lesson_stats on lesson.id = lesson_stats.lesson_id
    left join lesson_verdict on lesson.id = lesson_verdict.lesson_id
    cross join newest
)

select
    * exclude (verdict, good, bad, age_days),
    case
        when verdict <> '' then verdict
        -- What failed passes unchanged in two later sessions: the lesson's time is over.
        when contradictions >= 2 then 'retired'
        when fix_sessions >= 2 then 'confirmed'
        else 'candidate'
    end as state,
    (1.0 + good) / (2.0 + good + bad) * pow(0.5, greatest(age_days, 0) / 90.0) as confidence
from judged
