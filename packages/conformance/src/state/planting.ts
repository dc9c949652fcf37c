/**
 * Puts faults into a store without its adapter, as SQL by hand, a damaged file or a bug in the library would leave them.
 *
 * @example
 * const sql = (text: string, ...values: readonly unknown[]) => pool.query(text, [...values]).then(() => {});
 * const planting: Partial<Planting> = {
 *   loseOpenJob: (jobId) => sql("delete from chainwright.open_job where job_id = $1", jobId),
 *   setBlockersLeft: (jobId, left) => sql("update chainwright.open_job set blockers_left = $2 where job_id = $1", jobId, left),
 * };
 */
export interface Planting {
  /** The chain's first job is gone; its later ones are there, the last one open. */
  loseFirstJob(chainId: string): Promise<void>;
  /** An open, ready job is in no queue. */
  loseOpenJob(jobId: string): Promise<void>;
  /** A key is held by a chain, even if the chain has ended. */
  keepKey(key: string, chainId: string): Promise<void>;
  /** A tag leads to a chain that does not have it. */
  addTag(name: string, value: string, chainId: string): Promise<void>;
  /** Something was noted about a job that does not exist. A store may name it by something else than the id. */
  addNote(jobId: string): Promise<void>;
  /** An entry that belongs to no job waits for a chain. */
  addBlocker(chainId: string): Promise<void>;
  /** A blocked job counts this many chains that it waits for. */
  setBlockersLeft(jobId: string, left: number): Promise<void>;
  /** A blocked job that waits when its blockers fail would have failed with them. */
  failsWithBlockers(jobId: string): Promise<void>;
  /** A place of a limit with this key is held by a job that does not exist. */
  addPlace(limit: string, key: string): Promise<void>;
  /** A running job has lost the places of its limits. */
  losePlaces(jobId: string): Promise<void>;
  /** The store counts this many completed jobs of a type too many; a negative number means too few. */
  addToCount(typeName: string, by: number): Promise<void>;
}
