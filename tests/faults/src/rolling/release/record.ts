import type { RollingProcess } from "./open-process.ts";
import type { RollingTx } from "./rolling-store.ts";

interface Facts {
  readonly id: string;
  readonly chainId: string;
  readonly attempt: number;
}

interface Remarks {
  /** How many attempts the handler let fail before this one. */
  readonly asked?: number;
  /** What the handler should not have got. */
  readonly wrong?: string | null;
}

/** Returns what writes the effect of a job. */
export function createRecord({ store, orders: { release } }: RollingProcess) {
  return (tx: RollingTx, { id, chainId, attempt }: Facts, { asked = 0, wrong = null }: Remarks = {}): Promise<void> =>
    store.record(tx, { jobId: id, chainId, attempt, release, asked, wrong });
}
