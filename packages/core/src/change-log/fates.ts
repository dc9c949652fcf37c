import type { ChainEnds } from "../in-process/chain-ends.ts";
import type { Blocking, JobRow, Shared } from "../in-process/row-types.ts";
import type { Store } from "../in-process/store.ts";

/*
 * What becomes of everything that a store keeps when it is opened again from a log. The compiler refuses a table or a field without
 * an entry here. `logged`: it is in the log. `rebuilt`: it follows from what is. `void`: it is about the process that has ended.
 */
type Fate = "logged" | "rebuilt" | "void";

export const tables = {
  id: "logged",
  jobs: "logged",
  jobsById: "rebuilt",
  chainsById: "rebuilt",
  labels: "rebuilt",
  lanes: "rebuilt",
  ended: "rebuilt",
  failed: "rebuilt",
  // Retention looks at these chains again.
  needed: "void",
  deduplications: "logged",
  windows: "rebuilt",
  deadlines: "rebuilt",
  workers: "void",
  history: "logged",
  pauses: "logged",
  schedules: "logged",
  signals: "logged",
  notes: "logged",
  limits: "logged",
  releases: "logged",
  sequence: "rebuilt",
  nextDueAt: "rebuilt",
  journal: "void",
  changes: "void",
} as const satisfies Record<keyof Store, Fate>;

export const jobFields = {
  id: "logged",
  chain: "logged",
  lane: "logged",
  step: "logged",
  position: "logged",
  createdAt: "logged",
  onBlockerFailure: "logged",
  context: "logged",
  status: "logged",
  input: "logged",
  output: "logged",
  outputVersion: "logged",
  errors: "logged",
  attempt: "logged",
  fence: "logged",
  readyAt: "logged",
  // Only of a job that has ended, or that has kept its places of limits: a running one is ready again, its attempt counted.
  lease: "logged",
  endedAt: "logged",
  next: "logged",
  blocking: "logged",
  wait: "logged",
  last: "logged",
  shared: "logged",
  queued: "rebuilt",
} as const satisfies Record<keyof JobRow, Fate>;

export const sharedFields = {
  reason: "logged",
  deduplication: "logged",
  tags: "logged",
  dependents: "rebuilt",
  startedFor: "logged",
  follows: "logged",
  ends: "logged",
} as const satisfies Record<keyof Shared, Fate>;

export const blockingFields = {
  chains: "logged",
  own: "logged",
  left: "logged",
  countedAt: "logged",
  failedBy: "logged",
} as const satisfies Record<keyof Blocking, Fate>;

export const endsFields = {
  whenStopped: "logged",
  deadlineAt: "logged",
  held: "logged",
  compensations: "logged",
  followUps: "logged",
} as const satisfies Record<keyof ChainEnds<JobRow>, Fate>;
