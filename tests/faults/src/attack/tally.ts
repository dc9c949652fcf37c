/** What was done to the processes and the server, and what it hit. */
export interface Tally {
  /** SIGKILL to workers. */
  workerKills: number;
  /** Of these, the ones that hit at least one attempt that was under way. */
  killsThatHit: number;
  /** Attempts that were under way when their process was killed. */
  interruptedAttempts: number;
  /** SIGSTOP for three leases, then SIGCONT. */
  workerPauses: number;
  /** Orderly ends. */
  workerStops: number;
  /** Workers that a poisonous job took along. */
  workersPoisoned: number;
  starterKills: number;
  serverKills: number;
  serverRestarts: number;
  serverPauses: number;
  /** Spells in which the server took no writes. */
  serverReadOnly: number;
  /** Times at which it was looked for a key with two live chains. */
  looksAtKeys: number;
  keysShared: number;
}

export function createTally(): Tally {
  return {
    workerKills: 0,
    killsThatHit: 0,
    interruptedAttempts: 0,
    workerPauses: 0,
    workerStops: 0,
    workersPoisoned: 0,
    starterKills: 0,
    serverKills: 0,
    serverRestarts: 0,
    serverPauses: 0,
    serverReadOnly: 0,
    looksAtKeys: 0,
    keysShared: 0,
  };
}
