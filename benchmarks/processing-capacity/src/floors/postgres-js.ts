import type { Sql, TransactionSql } from "postgres";
import type { Claimed } from "../hand-written.ts";
import { handWrittenOnPostgres } from "./hand-written-postgres.ts";
import type { Floor } from "../row.ts";

/** One table, its key, prepared statements (postgres.js prepares all), the same pool. */
export async function postgresJsFloor(sql: Sql): Promise<Floor> {
  await sql`drop table if exists bare_floor`;
  await sql`create table bare_floor (id bigint generated always as identity primary key,
    taken boolean not null default false, payload text not null) with (fillfactor = 50)`;
  let held: readonly string[] = [];
  const handWritten = await handWrittenOnPostgres(
    (text) => sql.unsafe(text),
    ({ text, values }) => sql.unsafe<Claimed[]>(text, values, { prepare: true }),
  );
  return {
    handWritten,
    async insertOne(payload) {
      await sql`insert into bare_floor (payload) values (${payload})`;
    },
    async insertHundred(payload) {
      const payloads = Array.from({ length: 100 }, () => payload);
      await sql`insert into bare_floor (payload) select unnest(${payloads}::text[])`;
    },
    async emptyTransaction() {
      await sql.begin(() => undefined);
    },
    async exchangeHundred() {
      held = await sql.begin(async (tx) => {
        await remove(tx, held);
        return await take(tx, 100);
      });
      return held.length;
    },
    async claimAndSettle(count) {
      let left = count;
      const caller = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          await remove(sql, await take(sql, 1));
        }
      };
      await Promise.all(Array.from({ length: 10 }, caller));
    },
  };
}

async function take(sql: Sql | TransactionSql, count: number): Promise<readonly string[]> {
  const rows = await sql<{ readonly id: string }[]>`update bare_floor set taken = true where id = any(array(
    select id from bare_floor where not taken order by id limit ${count} for update skip locked)) returning id`;
  return rows.map(({ id }) => id);
}

async function remove(sql: Sql | TransactionSql, ids: readonly string[]): Promise<void> {
  await sql`delete from bare_floor where id = any(${[...ids]}::bigint[])`;
}
