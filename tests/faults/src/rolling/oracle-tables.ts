/*
 * The user table of the handlers, the log of all leases, and the views that the judge reads. An attempt is counted when a job is
 * claimed, so the log names the worker of each attempt, also of those that ended with their process.
 */

const statuses = (column: string, open: string) =>
  `case ${column} when 0 then '${open}' when 1 then 'completed' when 2 then 'failed' when 3 then 'cancelled' end`;

export const postgresTables = `
  create table rolling_effect (job_id uuid, chain_id uuid, attempt integer, asked integer, release text, wrong text);
  create table rolling_lease (n bigint generated always as identity, job_id uuid, attempt integer, worker text, at double precision);
  create function rolling_note() returns trigger language plpgsql as $$
  begin
    -- When the claim began.
    insert into public.rolling_lease (job_id, attempt, worker, at)
    values (new.job_id, new.attempt, new.leased_by, extract(epoch from statement_timestamp()) * 1000);
    return null;
  end $$;
  create trigger rolling_leased after update on chainwright.open_job for each row
    when (new.leased_by is not null and new.attempt <> old.attempt) execute function rolling_note();
  create view rolling_job as
    select id, chain_id, step, type_name as type, ${statuses("status", "open")} as status,
      ${statuses("chain_status", "active")} as chain_status, attempt, key
    from chainwright.job;
  create view rolling_open as select type_name as name, count(*)::integer as count from chainwright.open_job group by type_name;
  create view rolling_worker as select id, name, schema_version, alive_until from chainwright.worker;`;

export const sqliteTables = `
  create table rolling_effect (job_id text, chain_id text, attempt integer, asked integer, release text, wrong text);
  create table rolling_lease (n integer primary key, job_id text, attempt integer, worker text, at real);
  create trigger rolling_leased after update on chainwright_open_job
    when new.leased_by is not null and new.attempt <> old.attempt
  begin
    insert into rolling_lease (job_id, attempt, worker, at)
    select id, new.attempt, new.leased_by, unixepoch('subsec') * 1000 from chainwright_job where seq = new.job;
  end;
  create view rolling_job as
    select j.id, coalesce(c.id, j.id) as chain_id, j.step, j.type_name as type, j.status, j.chain_status, j.attempt, j.key
    from chainwright_job j left join chainwright_job c on c.seq = j.chain;
  create view rolling_open as select type_name as name, count(*) as count from chainwright_open_job group by type_name;
  create view rolling_worker as select id, name, schema_version, alive_until from chainwright_worker;`;
