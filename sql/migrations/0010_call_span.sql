-- purpose: where a call ends in its transcript, its result with it where that lies in the same file
-- Null for what was read before this step; a newer parser reads it anew.
alter table tool_call add column byte_end bigint;
