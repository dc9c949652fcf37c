import { randomUUID } from "node:crypto";
import type Database from "better-sqlite3";
import { leaseMs, result, worker, type Claimed, type HandWritten } from "../hand-written.ts";

const tables = `
  create table hand_written_job (id text primary key, type text not null, priority integer not null default 0,
    due_at integer not null, started_at integer not null, attempt integer not null default 0, leased_by text,
    leased_until integer, payload text not null) without rowid;
  create index hand_written_waiting on hand_written_job (type, priority desc, due_at, id) where leased_by is null;
  create table hand_written_history (id text primary key, type text not null, payload text not null, result text not null,
    attempt integer not null, started_at integer not null, ended_at integer not null) without rowid`;

export function handWrittenOnSqlite(database: Database.Database): HandWritten {
  database.exec(tables);
  const insert = database.prepare(
    "insert into hand_written_job (id, type, due_at, started_at, payload) values (?, 'value', ?, ?, ?)",
  );
  const claim = database.prepare(`update hand_written_job set leased_by = ?, leased_until = ?, attempt = attempt + 1
    where id in (select id from hand_written_job where leased_by is null and type = 'value' and due_at <= ?
      order by priority desc, due_at, id limit ?) returning id, payload`);
  const keep =
    database.prepare(`insert into hand_written_history (id, type, payload, result, attempt, started_at, ended_at)
    select id, type, payload, ?, attempt, started_at, ? from hand_written_job
    where id = ? and leased_by = ? and leased_until > ?`);
  const remove = database.prepare("delete from hand_written_job where id = ?");
  const insertOne = (payload: string): void => {
    const now = Date.now();
    insert.run(randomUUID(), now, now, payload);
  };
  const claimSome = (count: number): readonly Claimed[] => {
    const now = Date.now();
    const rows = claim.all(worker, now + leaseMs, now, count) as { readonly id: string; readonly payload: string }[];
    return rows.map(({ id, payload }) => ({ id, payload: JSON.parse(payload) as unknown }));
  };
  const settle = (jobs: readonly Claimed[]): void => {
    const now = Date.now();
    for (const { id } of jobs) {
      if (keep.run(result, now, id, worker, now).changes > 0) remove.run(id);
    }
  };
  let held: readonly Claimed[] = [];
  const insertHundred = database.transaction((payload: string) => {
    for (let count = 0; count < 100; count += 1) insertOne(payload);
  });
  const exchange = database.transaction(() => {
    settle(held);
    held = claimSome(100);
    return held.length;
  });
  const settleOne = database.transaction(settle);
  return {
    insertOne: async (payload) => insertOne(payload),
    insertHundred: async (payload) => insertHundred.immediate(payload),
    exchangeHundred: async () => exchange.immediate(),
    async claimAndSettle(count) {
      for (let left = count; left > 0; left -= 1) settleOne.immediate(claimSome(1));
    },
  };
}
