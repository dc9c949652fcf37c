import type { Database } from "better-sqlite3";

/**
 * The row that this application writes for each step, in the transaction that ends the step. The table deliberately has no
 * unique key, so that a step that wrote twice is visible.
 */
export interface Effect {
  readonly jobId: string;
  readonly chainId: string;
  readonly typeName: string;
  readonly path: string;
  /** The number of files found, the bytes read, or the size of the catalogued file. */
  readonly amount: number;
  readonly sha256: string | null;
}

export type RecordEffect = (tx: Database, effect: Effect) => Promise<void>;

/** Every step writes one, except `file.index`, which has nothing to write. */
export const typesWithEffect = [
  "library.index",
  "library.report",
  "file.read-text",
  "file.read-binary",
  "file.catalog",
] as const;

export function createEffectTable(database: Database): void {
  database.exec(`
    create table if not exists effect (
      job_id text not null, chain_id text not null, type_name text not null,
      path text not null, amount integer not null, sha256 text
    ) strict;
    create index if not exists effect_job on effect (job_id);
  `);
}

export function effectOf(
  job: { readonly id: string; readonly chainId: string; readonly typeName: (typeof typesWithEffect)[number] },
  path: string,
  amount: number,
  sha256: string | null = null,
): Effect {
  return { jobId: job.id, chainId: job.chainId, typeName: job.typeName, path, amount, sha256 };
}

export const recordEffect: RecordEffect = async (tx, { jobId, chainId, typeName, path, amount, sha256 }) => {
  tx.prepare("insert into effect (job_id, chain_id, type_name, path, amount, sha256) values (?, ?, ?, ?, ?, ?)").run(
    jobId,
    chainId,
    typeName,
    path,
    amount,
    sha256,
  );
};
