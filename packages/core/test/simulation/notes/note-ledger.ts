import type { Life } from "../life.ts";

/** What attempts at a job have noted, as the store has committed it. */
export interface NotedJob {
  readonly memos: Map<string, string>;
  checkpoint: string | undefined;
  /** All checkpoints that were ever on record. */
  readonly checkpoints: Set<string>;
  /** The fence of its latest claim. */
  fence: number;
  /** The fence of the claim that completed it. */
  completedBy: number | undefined;
}

/** What a claim had to bring. */
export interface SeenClaim {
  readonly fence: number;
  readonly checkpoint: string | undefined;
  readonly memos: ReadonlySet<string>;
}

/** What the store and the handlers of a world have seen. */
export interface NoteLedger {
  readonly jobs: Map<string, NotedJob>;
  /** By process, then by job and attempt: the latest claim. */
  readonly claims: WeakMap<Life, Map<string, SeenClaim>>;
  /** By job and name: what a call of `once` has returned. */
  readonly kept: Map<string, string>;
  /** By job and fence: the lines that a handler has logged, and its last progress. */
  readonly reports: Map<string, { readonly lines: string[]; progress: string | undefined }>;
  readonly counts: Map<string, number>;
  /** Makes each value unique. */
  serial: number;
}

export function createNoteLedger(): NoteLedger {
  return {
    jobs: new Map(),
    claims: new WeakMap(),
    kept: new Map(),
    reports: new Map(),
    counts: new Map(),
    serial: 0,
  };
}

export function count({ counts }: NoteLedger, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

export function nextSerial(ledger: NoteLedger): number {
  ledger.serial += 1;
  return ledger.serial;
}

export function notedOf({ jobs }: NoteLedger, id: string): NotedJob {
  const noted = jobs.get(id) ?? {
    memos: new Map<string, string>(),
    checkpoint: undefined,
    checkpoints: new Set<string>(),
    fence: 0,
    completedBy: undefined,
  };
  jobs.set(id, noted);
  return noted;
}

interface ClaimOf {
  readonly id: string;
  readonly attempt: number;
}

export function noteClaim({ claims }: NoteLedger, life: Life, { id, attempt }: ClaimOf, claim: SeenClaim): void {
  const own = claims.get(life) ?? new Map<string, SeenClaim>();
  claims.set(life, own.set(`${id} ${attempt}`, claim));
}

export function claimOf({ claims }: NoteLedger, life: Life, { id, attempt }: ClaimOf): SeenClaim {
  const claim = claims.get(life)?.get(`${id} ${attempt}`);
  if (claim === undefined) throw new Error(`attempt ${attempt} at job ${id} runs where it was not claimed`);
  return claim;
}

export function reportsOf({ reports }: NoteLedger, jobId: string, fence: number) {
  const key = `${jobId} ${fence}`;
  const found = reports.get(key) ?? { lines: [], progress: undefined };
  reports.set(key, found);
  return found;
}
