import type { Statement } from "./result-rows.ts";
import type { Tables } from "./schema.ts";

export type EndedStatus = "completed" | "failed" | "cancelled";

/** Counts jobs that ended, and writes the sums of a whole operation at its end: one statement a type and status. */
export interface Tally {
  add(typeName: string, status: EndedStatus, count: number): void;
  mark(): TallyMark;
  reset(mark: TallyMark): void;
  flush(): void;
}

type TallyMark = ReadonlyMap<string, number>;

export function createTally(sql: (text: string) => Statement<never>, tables: Tables): Tally {
  const upsert = sql(
    `insert into ${tables.tally} (type_name, status, count) values (?, ?, ?)
     on conflict (type_name, status) do update set count = count + excluded.count`,
  );
  let sums = new Map<string, number>();
  return {
    add: (typeName, status, count) => {
      // Statuses have no spaces, so the first space separates them.
      const key = `${status} ${typeName}`;
      sums.set(key, (sums.get(key) ?? 0) + count);
    },
    mark: () => new Map(sums),
    reset: (mark) => {
      sums = new Map(mark);
    },
    flush: () => {
      if (sums.size === 0) return;
      for (const [key, count] of sums) {
        const end = key.indexOf(" ");
        if (count !== 0) upsert.run(key.slice(end + 1), key.slice(0, end), count);
      }
      sums = new Map();
    },
  };
}
