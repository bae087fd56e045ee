-- purpose: floors fitted, labelled tasks, what was asked and answered, and what people said of it
create table floor (
    encoder_fingerprint varchar not null,
    reranker_fingerprint varchar not null,
    fitted_at timestamp not null,
    value double not null check (value between 0 and 1),
    calibration varchar not null,
    data_fingerprint varchar not null,
    seed bigint not null,
    report varchar not null,
    primary key (encoder_fingerprint, reranker_fingerprint, fitted_at)
);

create table task_set (
    name varchar primary key,
    file_sha varchar not null,
    loaded_at timestamp not null
);

create table task (
    task_set varchar not null,
    ordinal integer not null,
    text varchar not null,
    expected varchar[] not null,
    project varchar,
    grp varchar not null,
    kind varchar not null,
    split varchar,
    text_sha varchar not null,
    primary key (task_set, ordinal)
);

create table task_term (
    task_set varchar not null,
    ordinal integer not null,
    term varchar not null,
    primary key (task_set, ordinal, term)
);

create table match_log (
    id varchar primary key,
    asked_at timestamp not null,
    task varchar not null,
    project varchar,
    floor double not null,
    snapshot varchar not null,
    answer varchar not null
);

create table feedback (
    id varchar primary key,
    match_id varchar,
    said_at timestamp not null,
    verdict varchar not null check (verdict in ('useful', 'wrong', 'missing')),
    task varchar not null,
    skill_name varchar not null,
    note varchar not null
);
