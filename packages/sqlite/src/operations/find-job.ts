import type { ChainStatus, JobStatus } from "chainwright";
import type { LostReason, Refusal } from "chainwright/adapter";
import type { Store } from "../store.ts";

/** The open job of a chain. */
export interface OpenJob {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly step: number;
  readonly status: "open" | "blocked";
  readonly attempt: number;
  readonly fence: number;
}

export interface ChainFound {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly chain_status: ChainStatus;
  readonly ended_job: number | null;
  readonly dedup_key: string | null;
  readonly dedup_scope: "active" | "any" | null;
  readonly dedup_until: number | null;
}

export interface FindJob {
  chain(id: string): ChainFound | undefined;
  /** The job where an active chain stands: its last one. */
  openJob(chain: number): OpenJob | undefined;
  /** The same by id, or why there is none. */
  openJobOf(chainId: string): { readonly refusal: Refusal } | { readonly chain: ChainFound; readonly job: OpenJob };
  /** Why a fence found nothing. */
  lostReason(jobId: string): LostReason;
}

export function createFindJob(store: Store): FindJob {
  const { tables: t } = store;
  const chainById = store.sql<ChainFound>(
    `select seq, id, type, chain_status, ended_job, dedup_key, dedup_scope, dedup_until
     from ${t.job} where id = ? and chain is null`,
  );
  const columns = `seq, id, type, step, status, attempt, fence`;
  const lastStep = store.sql<OpenJob>(
    `select ${columns} from ${t.job} where chain = ? order by chain, step desc limit 1`,
  );
  const firstStep = store.sql<OpenJob>(`select ${columns} from ${t.job} where seq = ?`);
  const fate = store.sql<{ status: JobStatus | "open"; chain_status: ChainStatus }>(
    `select j.status, coalesce((select c.chain_status from ${t.job} c where c.seq = j.chain), j.chain_status) as chain_status
     from ${t.job} j where j.id = ?`,
  );

  const openJob = (chain: number) => lastStep.get(chain) ?? firstStep.get(chain);
  return {
    chain: (id) => chainById.get(id),
    openJob,
    openJobOf: (chainId) => {
      const chain = chainById.get(chainId);
      if (chain === undefined) return { refusal: { code: "chain-not-found", id: chainId } };
      const job = chain.chain_status === "active" ? openJob(chain.seq) : undefined;
      if (job === undefined) return { refusal: { code: "chain-not-active", id: chainId, actual: chain.chain_status } };
      return { chain, job };
    },
    lostReason: (jobId) => {
      const row = fate.get(jobId);
      if (row === undefined || row.chain_status === "cancelled") return "cancelled";
      return row.status === "open" || row.status === "blocked" ? "lease-lost" : "completed-elsewhere";
    },
  };
}
