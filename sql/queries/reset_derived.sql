-- purpose: start the derived schema anew
-- params:
drop schema if exists derived cascade;
create schema derived;
