-- purpose: notes and lessons in the parts that search looks at, and how search weighs its evidence
-- One row a part: 'whole' is the text as one, 'title' the question or the symptom, 'passage' a
-- piece of the body. Their vectors lie in embedding_384. Notes never change, so neither do theirs.
create table passage (
    -- memory_node.sha or lesson.id
    owner varchar not null,
    ordinal integer not null check (ordinal >= 0),
    part varchar not null check (part in ('whole', 'title', 'passage')),
    -- Of a passage: its place in memory_node.body, in code points, the end not included; else 0.
    starts bigint not null,
    stops bigint not null check (stops >= starts),
    -- sha of the text that is encoded
    text_sha varchar not null,
    -- Of a passage: its distinct terms, the title's with them, and how often each occurs.
    terms varchar[] not null,
    counts integer[] not null check (len(counts) = len(terms)),
    primary key (owner, ordinal)
);

-- One row, loaded with the models: see macro note_evidence and view passage_cover.
create table note_policy (
    whole_weight double not null,
    title_weight double not null,
    passage_weight double not null,
    lexical_weight double not null,
    lesson_weight double not null,
    k1 double not null,
    b double not null,
    mean_length double not null,
    background_documents bigint not null
);
