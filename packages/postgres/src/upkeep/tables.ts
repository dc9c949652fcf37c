/** The tables of upkeep, in the schema of this quoted name. */
export function upkeepTables(s: string): string[] {
  return [
    // Chains that retention looks at one by one, and since when they may have ended. Kind 0: retention has passed the chain, which
    // had neither failed nor been cancelled; only retention writes it. Kind 1: cancelled, or retried. Kind 2: failed. Kinds 1 and 2
    // are written under the lock of the chain's first row. Each chain has an entry, or a position above the floor of the chore
    // 'chains'.
    `create table ${s}.expiry (
  chain_id uuid not null,
  kind smallint not null,
  since double precision not null,
  constraint expiry_pkey primary key (chain_id, kind)
)`,
    `create index expiry_since on ${s}.expiry (kind, since)`,
    // How many jobs have ended, so that counting reads no history: for each type and each status except open, the number of rows
    // of `job` is the sum of `tally.count` and `tally_change.count`. The end of a job inserts a change; a retry or deletion inserts
    // a negative one. Only upkeep writes the sums: it adds the changes to them.
    `create table ${s}.tally (
  type_name text collate "C" not null,
  status smallint not null,
  count bigint not null,
  constraint tally_pkey primary key (type_name, status)
) with (fillfactor = 50)`,
    `create table ${s}.tally_change (
  n bigint not null,
  type_name text collate "C" not null,
  status smallint not null,
  count bigint not null,
  constraint tally_change_pkey primary key (n)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)`,
    // How far each chore of upkeep has come: see `chorePass`.
    `create table ${s}.upkeep (
  chore text collate "C" not null,
  floor double precision not null,
  reached double precision not null,
  settled bigint not null default 0,
  began_at double precision not null default 0,
  constraint upkeep_pkey primary key (chore)
) with (fillfactor = 50)`,
    `insert into ${s}.upkeep (chore, floor, reached) values
  ('chains', 0, 0), ('tally', 0, 0), ('windows', '-Infinity', '-Infinity'),
  ('expiry 0', '-Infinity', '-Infinity'), ('expiry 1', '-Infinity', '-Infinity'), ('expiry 2', '-Infinity', '-Infinity')`,
  ];
}
