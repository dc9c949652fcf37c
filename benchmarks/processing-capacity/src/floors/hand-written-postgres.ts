import { randomUUID } from "node:crypto";
import { leaseMs, result, worker, type Claimed, type HandWritten } from "../hand-written.ts";

interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: (string | number | string[])[];
}

/** Either client: prepared statements on a pool. */
type Query = (statement: Statement) => Promise<readonly Claimed[]>;

const tables = [
  "drop table if exists hand_written_job, hand_written_history",
  `create table hand_written_job (id uuid primary key, type text not null, priority smallint not null default 0,
    due_at timestamptz not null default clock_timestamp(), started_at timestamptz not null default clock_timestamp(),
    attempt int not null default 0, leased_by text, leased_until timestamptz, payload jsonb not null) with (fillfactor = 50)`,
  "create index on hand_written_job (type, priority desc, due_at, id) where leased_by is null",
  `create table hand_written_history (id uuid primary key, type text not null, payload jsonb not null, result jsonb not null,
    attempt int not null, started_at timestamptz not null, ended_at timestamptz not null)`,
];

const settle = `ended as (delete from hand_written_job where id = any($1::uuid[]) and leased_by = $2 and leased_until > now()
    returning id, type, payload, attempt, started_at),
  kept as (insert into hand_written_history (id, type, payload, result, attempt, started_at, ended_at)
    select id, type, payload, $3::text::jsonb, attempt, started_at, clock_timestamp() from ended returning id)`;

/** The claim as a statement, with the places of its parameters. */
const claim = (by: string, lease: string, limit: string) => `update hand_written_job
  set leased_by = ${by}, leased_until = now() + ${lease}::int * interval '1 ms', attempt = attempt + 1
  where id = any(array(select id from hand_written_job
    where leased_by is null and type = 'value' and due_at <= now()
    order by priority desc, due_at, id limit ${limit}::int for update skip locked)) returning id, payload`;

const insertText =
  "insert into hand_written_job (id, type, payload) select id::uuid, 'value', payload::jsonb from unnest($1::text[], $2::text[]) as new (id, payload)";

export async function handWrittenOnPostgres(
  execute: (text: string) => Promise<unknown>,
  query: Query,
): Promise<HandWritten> {
  for (const text of tables) await execute(text);
  let held: readonly Claimed[] = [];
  const insert = async (payload: string, count: number): Promise<void> => {
    const [ids, payloads] = [Array.from({ length: count }, () => randomUUID()), Array<string>(count).fill(payload)];
    await query({ name: "hand insert", text: insertText, values: [ids, payloads] });
  };
  return {
    insertOne: (payload) => insert(payload, 1),
    insertHundred: (payload) => insert(payload, 100),
    async exchangeHundred() {
      const values = [held.map(({ id }) => id), worker, result, leaseMs, 100];
      held = await query({
        name: "hand exchange",
        text: `with ${settle}, claimed as (${claim("$2", "$4", "$5")}) select id, payload from claimed`,
        values,
      });
      return held.length;
    },
    async claimAndSettle(count) {
      let left = count;
      const caller = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          const claimed = await query({
            name: "hand claim",
            text: claim("$1", "$2", "$3"),
            values: [worker, leaseMs, 1],
          });
          const ids = claimed.map(({ id }) => id);
          await query({
            name: "hand settle",
            text: `with ${settle} select id from kept`,
            values: [ids, worker, result],
          });
        }
      };
      await Promise.all(Array.from({ length: 10 }, caller));
    },
  };
}
