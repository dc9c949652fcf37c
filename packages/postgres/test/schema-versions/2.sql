alter table "chainwright".job
  add column version smallint,
  add column output_version smallint,
  add column pool text collate "C";

alter table "chainwright".worker
  add column package_version text,
  add column code_version bigint,
  add column versions text,
  add column pools text;

create table "chainwright".pause (
  type_name text collate "C" not null,
  until double precision,
  reason text,
  "by" text,
  at double precision not null,
  constraint pause_pkey primary key (type_name)
);
