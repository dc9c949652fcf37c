import { storedFailureKind } from "chainwright/adapter";
import type { Store } from "../store.ts";

/** The rows of failed jobs in the table of failures. */
export interface Failures {
  note(
    job: { readonly seq: number; readonly id: string; readonly type_name: string },
    errors: string | undefined,
    now: number,
  ): void;
  /** The job is open again, or deleted. */
  forget(job: number): void;
}

export function createFailures({ tables: t, sql }: Store): Failures {
  const insert = sql(
    `insert or replace into ${t.failure} (job, id, failed_at, type_name, kind) values (?, ?, ?, ?, ?)`,
  );
  const forget = sql(`delete from ${t.failure} where job = ?`);
  return {
    note: ({ seq, id, type_name: typeName }, errors, now) =>
      void insert.run(seq, id, now, typeName, storedFailureKind(errors)),
    forget: (job) => void forget.run(job),
  };
}
