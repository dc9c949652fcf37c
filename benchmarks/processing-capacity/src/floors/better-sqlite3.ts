import Database from "better-sqlite3";
import { handWrittenOnSqlite } from "./hand-written-sqlite.ts";
import type { Floor } from "../row.ts";
import type { Settings } from "../settings.ts";

/** One table, one index by arrival, prepared statements, the same durability. */
export function betterSqlite3Floor(file: string, durability: Settings["durability"]): Floor & { close(): void } {
  const database = new Database(file);
  database.pragma("journal_mode = wal");
  database.pragma(`synchronous = ${durability}`);
  database.exec("create table floor (id integer primary key, taken integer not null default 0, payload text not null)");
  const insert = database.prepare("insert into floor (payload) values (?)");
  const take = database.prepare(
    "update floor set taken = 1 where id in (select id from floor where id > ? order by id limit ?) returning id",
  );
  const remove = database.prepare("delete from floor where id = ?");
  const noop = database.transaction(() => undefined);
  const insertHundred = database.transaction((payload: string) => {
    for (let count = 0; count < 100; count += 1) insert.run(payload);
  });
  let held: readonly number[] = [];
  const exchange = database.transaction(() => {
    for (const id of held) remove.run(id);
    const rows = take.all(held.at(-1) ?? 0, 100) as { readonly id: number }[];
    held = rows.map((row) => row.id).sort((a, b) => a - b);
    return held.length;
  });
  return {
    insertOne: async (payload) => void insert.run(payload),
    insertHundred: async (payload) => insertHundred.immediate(payload),
    emptyTransaction: async () => noop.immediate(),
    exchangeHundred: async () => exchange.immediate(),
    claimAndSettle: async (count) => {
      for (let left = count; left > 0; left -= 1) {
        const [row] = take.all(0, 1) as { readonly id: number }[];
        if (row !== undefined) remove.run(row.id);
      }
    },
    handWritten: handWrittenOnSqlite(database),
    close: () => database.close(),
  };
}
