alter table chainwright_job add column version integer;

alter table chainwright_job add column output_version integer;

alter table chainwright_job add column pool text;

alter table chainwright_worker add column package_version text;

alter table chainwright_worker add column code_version integer;

alter table chainwright_worker add column versions text;

alter table chainwright_worker add column pools text;

create table chainwright_pause (
  type_name text not null primary key,
  until integer,
  reason text,
  "by" text,
  at integer not null
) strict, without rowid;
