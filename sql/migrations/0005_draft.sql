-- purpose: chat replies kept so that a rerun is free, and what was written as a draft
create table reply_cache (
    prompt_sha varchar not null,
    model varchar not null,
    reply varchar not null,
    usage varchar not null,
    created_at timestamp not null,
    primary key (prompt_sha, model)
);

create table draft_record (
    path varchar primary key,
    -- sha of the bytes that were written; other bytes on disk mean that a person edited them
    content_sha varchar not null,
    node_sha varchar not null,
    model varchar not null,
    prompt_version varchar not null,
    written_at timestamp not null
);
