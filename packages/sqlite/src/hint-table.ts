import { ChainwrightError } from "chainwright";
import type { SqliteDriver } from "./driver.ts";
import { openReader, openWriter } from "./open.ts";
import { statementOf } from "./result-rows.ts";
import { opening, translating } from "./translate-errors.ts";
import { createWriter } from "./writer.ts";

/** A table to which every process appends messages. Each process reads the messages after the last one that it has read. */
export interface HintTable {
  append(messages: readonly string[]): Promise<void>;
  /** Returns a reader of the messages that are appended from now on. */
  follow(): Promise<Follower>;
  close(): Promise<void>;
}

export interface Follower {
  /** The messages since the last call; throws if some were deleted before they were read. */
  next(): readonly string[];
}

/** The number of messages that the table keeps for slow readers. */
const kept = 5_000;
/** The number of messages in one read. */
const most = 1_000;

export function openHintTable<Tx extends object>(driver: SqliteDriver<Tx>, table: string): HintTable {
  // No commit waits for the disk, because the last hints may be lost in a crash of the machine: no one waits for them then.
  const database = opening(() => openWriter(driver, driver.openedByApplication ? "off" : "normal"));
  const reader = opening(() => openReader(driver));
  const writer = createWriter(database, { groupMs: 5, transactionTimeoutMs: 5_000, busyTimeoutMs: 2_000 });
  const insert = statementOf(() => database.prepare(`insert into ${table} (message) values (?)`));
  const prune = statementOf(() => database.prepare(`delete from ${table} where seq <= ?`));
  const source = reader ?? database;
  const last = statementOf<{ seq: number | null }>(() => source.prepare(`select max(seq) as seq from ${table}`));
  const since = statementOf<{ seq: number; message: string }>(() =>
    source.prepare(`select seq, message from ${table} where seq > ? order by seq limit ${most}`),
  );
  let created: Promise<void> | undefined;
  const create = () =>
    (created ??= writer
      .run(() =>
        database.exec(`create table if not exists ${table} (seq integer primary key, message text not null) strict`),
      )
      .catch((error: unknown) => {
        created = undefined;
        throw error;
      }));

  return {
    append: async (messages) => {
      await create();
      await writer.run(() => {
        let seq = 0;
        for (const message of messages) seq = Number(insert.run(message).lastInsertRowid);
        prune.run(seq - kept);
      });
    },
    follow: async () => {
      await create();
      let at = translating(() => last.get()?.seq ?? 0);
      return {
        next: () => {
          const rows = translating(() => since.all(at));
          const first = rows[0]?.seq ?? at + 1;
          if (first > at + 1) throw missed(first - at - 1);
          at = rows.at(-1)?.seq ?? at;
          return rows.map((row) => row.message);
        },
      };
    },
    close: async () => {
      await writer.close();
      reader?.close();
      if (!driver.openedByApplication) database.close();
    },
  };
}

function missed(count: number): ChainwrightError {
  return new ChainwrightError("store-unavailable", `${count} messages were deleted before this process read them`);
}
