/**
 * What a look at the health of a store goes through, each by itself, in this order.
 *
 * - `jobs`: each job has its chain, each active chain one job that can go on
 * - `leases`: whoever holds a job says that it lives
 * - `blockers`: blocked jobs wait for something
 * - `keys`: deduplication keys belong to a chain
 * - `counts`: what the store has counted is true
 * - `schema`: what was installed in the store is what this version installs
 */
export type DoctorCheck = "jobs" | "leases" | "blockers" | "keys" | "counts" | "schema";

/**
 * What can be wrong in a store. None of it comes from the library's own calls: it comes from a backup that was restored in
 * parts, from SQL by hand, from a damaged disk, or from a fault of the library.
 */
export type FaultKind =
  | "job-without-chain"
  | "open-job-without-job"
  | "chain-without-open-job"
  | "chain-not-ended"
  | "lease-of-no-one"
  | "blocker-without-job"
  | "blocker-without-chain"
  | "stopped-without-job"
  | "missed-release"
  | "missed-failure"
  | "stale-key"
  | "wrong-count"
  | "changed-function";
