-- purpose: how far transcripts were read, and the calls in them with their outcome
create table transcript_file (
    -- Absolute; of an OpenHands conversation, its folder.
    path varchar primary key,
    format varchar not null,
    -- sha of the first row, which stays when the file grows
    head_sha varchar not null,
    next_byte bigint not null check (next_byte >= 0),
    next_line bigint not null check (next_line >= 1),
    -- JSON: what the parser has to remember at that place
    state varchar not null,
    -- JSON: rows, events, commands and failures so far, and what was dropped by reason
    counts varchar not null,
    parser_version integer not null
);

create table tool_call (
    -- sha of (session, agent, call id): a session that lies in two files counts once
    id varchar primary key,
    session varchar not null,
    agent varchar not null,
    scope varchar not null,
    branch varchar not null,
    -- Null where the format has no times.
    happened_at timestamp,
    path varchar not null,
    line bigint not null,
    byte_start bigint not null,
    tool varchar not null,
    action varchar not null check (action in ('shell', 'edit', 'read', 'other')),
    command varchar not null,
    target varchar not null,
    exit_code integer,
    failed boolean not null,
    stopped varchar not null,
    -- Of a failure; its middle may be left out.
    output varchar not null,
    -- The L0 node that shows the call; empty where none was kept.
    node_sha varchar not null
);
