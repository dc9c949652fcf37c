import type { Database } from "better-sqlite3";

/**
 * What this application writes for each step that it takes, in the very transaction that ends the step. The table has no
 * unique key on purpose: a step that wrote twice would be seen.
 */
export interface Effect {
  readonly jobId: string;
  readonly chainId: string;
  readonly typeName: string;
  readonly path: string;
  /** Files found, bytes read, or the size catalogued. */
  readonly amount: number;
  readonly sha256: string | null;
}

export type RecordEffect = (tx: Database, effect: Effect) => Promise<void>;

/** Every step writes one, but for `file.index`, which has nothing to write. */
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
