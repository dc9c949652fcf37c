import type { Store } from "../store.ts";
import type { EndedStatus } from "../tally.ts";

/** The entries by which retention finds chains that its walk does not: see the table. */
export interface Expiry {
  /** The chain has ended, or has become active again. */
  note(chain: number, status: EndedStatus | "active", since: number): void;
  /** Makes retention check the chains that block these jobs in its next pass. */
  reconsider(job: number): void;
  forget(chain: number): void;
}

export function createExpiry({ tables: t, sql }: Store): Expiry {
  const upsert = sql(
    `insert into ${t.expiry} (chain, failed, since) values (?, ?, ?)
     on conflict (chain) do update set failed = excluded.failed, since = excluded.since`,
  );
  const reconsider = sql(
    `update ${t.expiry} set since = 0 where chain in (select chain from ${t.blocker} where job = ?)`,
  );
  const forget = sql(`delete from ${t.expiry} where chain = ?`);
  const write = (chain: number, status: string, since: number) =>
    void upsert.run(chain, status === "failed" ? 1 : 0, since);
  return {
    note: (chain, status, since) => {
      // The walk finds the chains that completed.
      if (status !== "completed") write(chain, status, since);
    },
    reconsider: (job) => void reconsider.run(job),
    forget: (chain) => void forget.run(chain),
  };
}
