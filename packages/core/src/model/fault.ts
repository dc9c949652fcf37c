/**
 * The checks of a store's health, in the order in which they run.
 *
 * - `jobs`: each job has its chain, each active chain has one job that can run, and what was noted is about a job
 * - `leases`: each leased job belongs to a worker with a valid heartbeat, and each place of a limit to a job that runs or keeps it
 * - `blockers`: blocked jobs wait for something
 * - `keys`: deduplication keys and tags belong to a chain
 * - `counts`: the stored counts are correct
 * - `schema`: the store has the functions that this version installs
 */
export type DoctorCheck = "jobs" | "leases" | "blockers" | "keys" | "counts" | "schema";

/**
 * The faults that a store can have. The library's own calls cause none of them; they come from a partly restored backup, manual
 * SQL, a damaged disk, or a bug of the library.
 */
export type FaultKind =
  | "job-without-chain"
  | "open-job-without-job"
  | "chain-without-open-job"
  | "chain-not-ended"
  | "note-without-job"
  | "lease-of-no-one"
  | "place-without-job"
  | "job-without-place"
  | "blocker-without-job"
  | "blocker-without-chain"
  | "stopped-without-job"
  | "missed-release"
  | "missed-failure"
  | "stale-key"
  | "stale-tag"
  | "wrong-count"
  | "changed-function";
