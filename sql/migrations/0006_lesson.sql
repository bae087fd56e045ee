-- purpose: lessons with their fix, the calls behind them, and what people said of them
-- What a tool's failure taught. It is worked out anew from tool_call whenever a transcript grows.
create table lesson (
    -- sha of (tool, sub-command, signature, scope)
    id varchar primary key,
    tool varchar not null,
    subcommand varchar not null,
    signature varchar not null,
    -- The project it was learned in; empty where the format does not say.
    scope varchar not null,
    symptom varchar not null,
    resolution varchar not null,
    -- What failed and what passed; fix_command is empty where the same command passed.
    command varchar not null,
    fix_command varchar not null
);

create table lesson_event (
    id varchar primary key,
    lesson_id varchar not null,
    session varchar not null,
    happened_at timestamp,
    kind varchar not null check (kind in ('failure', 'fix', 'flaky', 'contradiction')),
    call_id varchar not null,
    -- The L0 node that shows it; empty where none was kept.
    node_sha varchar not null
);

-- What a person said of a lesson; it outlives the lesson's being worked out anew.
create table lesson_verdict (
    lesson_id varchar primary key,
    verdict varchar not null check (verdict in ('confirmed', 'retired', 'pinned')),
    said_at timestamp not null
);
