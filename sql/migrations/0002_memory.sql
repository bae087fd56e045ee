-- purpose: memory nodes (immutable), their validity over time, their edges and their sources
create table memory_node (
    sha varchar primary key check (regexp_full_match(sha, '[0-9a-f]{64}')),
    level varchar not null check (level in ('L0', 'L1', 'L2')),
    project varchar not null,
    query_id varchar not null,
    query varchar not null,
    body varchar not null,
    trust varchar not null check (trust in ('person', 'agent', 'imported')),
    author varchar not null,
    created_at timestamp not null,
    tags varchar[] not null,
    -- sha of the text that was encoded for search; the vector lies in embedding_384
    text_sha varchar not null
);

-- One row an interval: a note that is edited back to an old text opens a second one.
create table node_validity (
    sha varchar not null,
    valid_from timestamp not null,
    valid_until timestamp,
    superseded_by varchar,
    primary key (sha, valid_from)
);

create table node_edge (
    child varchar not null,
    parent varchar not null,
    role varchar not null check (
        role in ('evidence', 'synthesis', 'supersedes', 'contradicts', 'edited_from')
    ),
    primary key (child, parent, role)
);

-- Where a node was read: one row a (file or span, node); retired when the file stops giving it.
create table source (
    id varchar primary key,
    kind varchar not null check (kind in ('note', 'transcript')),
    path varchar not null,
    node_sha varchar not null,
    file_sha varchar not null,
    session varchar not null,
    byte_start bigint not null,
    byte_end bigint not null,
    line_start bigint not null,
    line_end bigint not null,
    parser_version integer not null,
    seen_at timestamp not null,
    retired_at timestamp
);
