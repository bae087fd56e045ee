-- purpose: tool lessons and the events they rest on; seen and confidence are views over events
create table lesson (
    id varchar primary key,
    tool varchar not null,
    subcommand varchar not null,
    signature varchar not null,
    scope varchar not null,
    symptom varchar not null,
    resolution varchar not null,
    state varchar not null check (state in ('candidate', 'confirmed', 'retired', 'pinned'))
);

create table lesson_event (
    id varchar primary key,
    lesson_id varchar not null,
    session varchar not null,
    happened_at timestamp not null,
    kind varchar not null check (kind in ('failure', 'fix', 'flaky', 'contradiction')),
    source_id varchar not null
);
