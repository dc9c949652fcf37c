/** The attacks on processes and server, and what they hit. */
export interface Tally {
  /** SIGKILL to workers. */
  workerKills: number;
  /** Those of them that interrupted at least one attempt. */
  killsThatHit: number;
  /** Attempts that were under way when their process was killed. */
  interruptedAttempts: number;
  /** SIGSTOP for three leases, then SIGCONT. */
  workerPauses: number;
  /** Orderly ends. */
  workerStops: number;
  /** Workers that a poisonous job killed. */
  workersPoisoned: number;
  /** Processes that ended by themselves, without poison. */
  processesCrashed: number;
  /** Those of them that postgres.js 3.4.9 ended, because it writes to connections that it has closed. */
  crashesOfPostgresJs: number;
  starterKills: number;
  serverKills: number;
  serverRestarts: number;
  serverPauses: number;
  /** Periods in which the server was read-only. */
  serverReadOnly: number;
  /** Runs of workers and starters, by their road to the store. */
  livesOnTheStraightRoad: number;
  livesOverTheNetwork: number;
  livesWithAPoolOfOne: number;
  livesThroughPgBouncer: number;
  livesWithAPoolOfTheirSlots: number;
  /** Runs whose sessions have short limits for locks and statements. */
  livesWithShortLimits: number;
  /** Runs with notifications that were held back, doubled, mixed with junk, or late. */
  livesWithBadHints: number;
  /** Workers that migrated before they began, while others were at work. */
  migrationsAtWork: number;
  /** Periods in which the network had faults. */
  spellsOfBadWeather: number;
  connectionsCut: number;
  /** Those of them that neither end noticed for a while. */
  connectionsLost: number;
  /** Transactions that committed while the network alone kept the reply from their client. */
  commitRepliesLost: number;
  /** Connections that were cut at the commit of a transaction, or whose reply to it was lost. */
  commitsHit: number;
  /** Sessions that the attack made the server end, most of them in a transaction. */
  sessionsEnded: number;
  /** Sessions whose statement was cancelled. */
  statementsCancelled: number;
  /** Transactions with calls of the library that were kept open for longer than limits and leases. */
  callsCommittedLate: number;
  callsRolledBackLate: number;
  /** Periods in which the disk was completely full. */
  disksFull: number;
  /** Foreign transactions that held a snapshot, rows or a table. */
  foreignTransactions: number;
  /** How often the attack searched for a key with two live chains. */
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
    processesCrashed: 0,
    crashesOfPostgresJs: 0,
    starterKills: 0,
    serverKills: 0,
    serverRestarts: 0,
    serverPauses: 0,
    serverReadOnly: 0,
    livesOnTheStraightRoad: 0,
    livesOverTheNetwork: 0,
    livesWithAPoolOfOne: 0,
    livesThroughPgBouncer: 0,
    livesWithAPoolOfTheirSlots: 0,
    livesWithShortLimits: 0,
    livesWithBadHints: 0,
    migrationsAtWork: 0,
    spellsOfBadWeather: 0,
    connectionsCut: 0,
    connectionsLost: 0,
    commitRepliesLost: 0,
    commitsHit: 0,
    sessionsEnded: 0,
    statementsCancelled: 0,
    callsCommittedLate: 0,
    callsRolledBackLate: 0,
    disksFull: 0,
    foreignTransactions: 0,
    looksAtKeys: 0,
    keysShared: 0,
  };
}
