-- purpose: skills as the vault holds them, the texts that are matched, and vectors by text and model
create table skill (
    path varchar primary key,
    name varchar not null,
    projects varchar[] not null,
    description varchar not null,
    when_to_use varchar not null,
    content_sha varchar not null,
    state varchar not null check (state in ('promoted', 'draft')),
    generated_from varchar not null,
    -- sha of the positive text, which is what is encoded and reranked
    text_sha varchar not null,
    -- sha of everything that this row, its clauses and its terms say: equal means unchanged
    record_sha varchar not null
);

create table skill_clause (
    skill_path varchar not null,
    field varchar not null check (field in ('description', 'when_to_use')),
    polarity varchar not null check (polarity in ('positive', 'negative')),
    ordinal integer not null,
    text_sha varchar not null,
    text varchar not null,
    primary key (skill_path, ordinal)
);

create table skill_term (
    skill_path varchar not null,
    term varchar not null,
    tf integer not null check (tf > 0),
    primary key (skill_path, term)
);

-- A zero or NaN vector would sort first under `order by cosine desc`: refused at the door.
create table embedding_384 (
    text_sha varchar not null,
    model_fingerprint varchar not null,
    vector float[384] not null check (array_inner_product(vector, vector) between 0.99 and 1.01),
    primary key (text_sha, model_fingerprint)
);

-- In how many texts of the shipped lexicon a term occurs: so that eight skills do not make every
-- word rare. Loaded with the models, not from the vault.
create table background_term (
    term varchar primary key,
    df integer not null check (df > 0)
);

-- How the shortlist weighs its evidence (one row, loaded with the models): see macro hybrid and
-- view term_cover for what each number does.
create table shortlist_policy (
    cosine_weight double not null,
    clause_weight double not null,
    lexical_weight double not null,
    negative_weight double not null,
    opposed_weight double not null,
    k1 double not null,
    b double not null,
    mean_length double not null,
    background_documents bigint not null
);
