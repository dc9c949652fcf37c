import type { Pool, PoolClient } from "pg";
import type { Claimed } from "../hand-written.ts";
import { handWrittenOnPostgres } from "./hand-written-postgres.ts";
import type { Floor } from "../row.ts";

/** One table, its key, prepared statements, the same pool. */
export async function pgFloor(pool: Pool): Promise<Floor> {
  await pool.query("drop table if exists bare_floor");
  await pool.query(
    "create table bare_floor (id bigint generated always as identity primary key, taken boolean not null default false, payload text not null) with (fillfactor = 50)",
  );
  let held: readonly string[] = [];
  const handWritten = await handWrittenOnPostgres(
    (text) => pool.query(text),
    async (statement) => (await pool.query<Claimed>(statement)).rows,
  );
  return {
    handWritten,
    async insertOne(payload) {
      await pool.query({ name: "one", text: "insert into bare_floor (payload) values ($1)", values: [payload] });
    },
    async insertHundred(payload) {
      const values = [Array.from({ length: 100 }, () => payload)];
      await pool.query({ name: "hundred", text: "insert into bare_floor (payload) select unnest($1::text[])", values });
    },
    async emptyTransaction() {
      await inTransaction(pool, async () => undefined);
    },
    async exchangeHundred() {
      const [remove, take] = [removeRows(held), takeRows(100)];
      await inTransaction(pool, async (client) => {
        await client.query(remove);
        held = (await client.query<{ readonly id: string }>(take)).rows.map(({ id }) => id);
      });
      return held.length;
    },
    async claimAndSettle(count) {
      let left = count;
      const caller = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          const { rows } = await pool.query<{ readonly id: string }>(takeRows(1));
          await pool.query(removeRows(rows.map(({ id }) => id)));
        }
      };
      await Promise.all(Array.from({ length: 10 }, caller));
    },
  };
}

function takeRows(count: number) {
  return {
    name: `take ${count}`,
    text: `update bare_floor set taken = true where id = any(array(
      select id from bare_floor where not taken order by id limit $1 for update skip locked)) returning id`,
    values: [count],
  };
}

function removeRows(ids: readonly string[]) {
  return { name: "remove", text: "delete from bare_floor where id = any($1)", values: [ids] };
}

async function inTransaction(pool: Pool, work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await work(client);
    await client.query("commit");
  } finally {
    client.release();
  }
}
