-- purpose: what was applied to this database and which files its derived schema was built from
create table ledger (
    number integer primary key,
    name varchar not null,
    sha varchar not null,
    applied_at timestamp not null
);

create table meta (
    key varchar primary key,
    value varchar not null
);
