import type {
  BreakerState,
  JobLimit,
  JobRecord,
  JobStart,
  KeyScope,
  LimitRule,
  NotesRecord,
  PausedType,
  Publication,
  ReceivedSignal,
  ScheduleRecord,
  SignalRecord,
  TickRecord,
  WaitRecord,
  WorkerRecord,
} from "chainwright/adapter";
import type { Ends } from "./end-data.ts";

/** A job as it is stored. The first job of a chain represents the chain, and has its id. */
export interface Job {
  readonly id: string;
  readonly chainId: string;
  readonly typeName: string;
  pool: string | undefined;
  readonly step: number;
  /** Defines "first in". */
  readonly position: number;
  priority: number;
  readonly createdAt: number;
  readonly onBlockerFailure: JobStart["onBlockerFailure"];
  context: string | undefined;
  /** As it was written. Time may have passed since: see `statusAt`. */
  status: JobRecord["status"];
  input: string;
  /** The version of its type that the input has. */
  version: number;
  output: string | undefined;
  outputVersion: number;
  /** JSON text: a list of `{ attempt, at, workerId, name, message }`. The rules and the engine write it. */
  errors: string | undefined;
  attempt: number;
  fence: number;
  /** Since when it is ready, or from when on it may be. */
  readyAt: number;
  /** Of the attempt that runs, that has run out and may still settle, or that has ended the job. */
  lease: { readonly workerId: string; readonly startedAt: number; readonly until: number } | undefined;
  endedAt: number | undefined;
  nextId: string | undefined;
  limits: readonly JobLimit[] | undefined;
  /** Where it waits for places of its limits. */
  lane: string | undefined;
  /** Whether a claim has seen it in its lane. */
  isSeen: boolean;
  /** Whether it holds the places of its limits. */
  hasPlaces: boolean;
  blocking: Blocking | undefined;
  /** What it waits for or has waited for, and what it has received. */
  wait: (WaitRecord & { readonly received: readonly ReceivedSignal[] }) | undefined;
  notes: JobNotes | undefined;
  /** With the first job of a chain. */
  chain: Chain | undefined;
}

/** What the attempts of a job have noted. */
export type JobNotes = Omit<NotesRecord, "jobId">;

export interface Blocking {
  /** The ids of the blocker chains in position order; null: deleted since. */
  readonly chainIds: readonly (string | null)[];
  /** The ids of those that were started inline with the job. */
  readonly ownIds: readonly string[];
  /** How many of them, each counted once, still have to release the job. */
  readonly left: number;
  /** The sequence when they were counted: a chain that had ended by then was not counted. */
  readonly countedAt: number;
  /** The chain that made the job fail. */
  readonly failedBy: string | undefined;
}

export interface Chain {
  readonly lastId: string;
  readonly reason: string | undefined;
  readonly key: StoredKey | undefined;
  readonly tags: JobStart["tags"];
  readonly ends: Ends | undefined;
  /** The stopped chain for whose stop it was started. */
  readonly follows?: string;
}

export interface StoredKey {
  readonly key: string;
  readonly scope: KeyScope;
  readonly until: number | undefined;
}

/** The jobs that an ended chain still has to look at. */
export interface Release {
  readonly chainId: string;
  readonly status: "completed" | "failed" | "cancelled";
  readonly jobIds: readonly string[];
  /** The sequence when the chain ended. */
  readonly since: number;
}

/** A signal that a chain has on record. */
export interface StoredRow extends Omit<SignalRecord, "chainId" | "takenBy"> {
  takenBy: string | undefined;
}

/** What has been said of a limit, for one key or, without `key`, for all keys. */
export interface LimitSaid {
  readonly limit: string;
  readonly key: string | undefined;
  readonly declared: LimitRule | undefined;
  readonly codeVersion: number | undefined;
  readonly override: LimitRule | undefined;
  readonly pausedUntil: number | "resumed" | undefined;
  /** Of a key whose jobs have failed. */
  breaker: BreakerState | undefined;
}

interface Limits {
  said: readonly LimitSaid[];
  /** Beginnings that count for the rate of a key. */
  tokens: { readonly limit: string; readonly key: string; readonly freeAt: number }[];
  /** Of lanes that have had one: the lowest is next. */
  turns: readonly { readonly lane: string; readonly turn: number; readonly took: number }[];
  /** The last turn given out. */
  turn: number;
  /** Whether the job that was claimed last was under a limit. */
  wasLast: boolean;
}

/** Everything that the store knows, between two versions of its text. */
export interface Data {
  readonly storeId: string;
  sequence: number;
  jobs: Map<string, Job>;
  /** The chain that holds a key, by the text of `heldKey`. */
  keys: Map<string, { readonly chainId: string; readonly until: number | undefined }>;
  /** In the order in which they are continued. */
  releases: Release[];
  /** The signals of a chain, by its id. */
  signals: Map<string, StoredRow[]>;
  /** What was published and reaches jobs that begin to wait for the topic, until a moment. */
  kept: (Publication & { readonly topic: string; readonly until: number })[];
  workers: Map<string, { readonly worker: WorkerRecord; readonly aliveUntil: number }>;
  /** By the name of the type. */
  pauses: Map<string, Omit<PausedType, "endsInMs">>;
  schedules: Map<string, ScheduleRecord>;
  readonly limits: Limits;
  /** The oldest written first. */
  ticks: TickRecord[];
}

export function readData(text: string): Data {
  if (text === "") {
    const storeId = globalThis.crypto.randomUUID();
    return {
      storeId,
      sequence: 0,
      jobs: new Map(),
      keys: new Map(),
      releases: [],
      signals: new Map(),
      kept: [],
      workers: new Map(),
      pauses: new Map(),
      schedules: new Map(),
      limits: { said: [], tokens: [], turns: [], turn: 0, wasLast: false },
      ticks: [],
    };
  }
  const { jobs, keys, signals, workers, pauses, schedules, ...rest } = JSON.parse(text) as StoredData;
  return {
    ...rest,
    jobs: new Map(jobs),
    keys: new Map(keys),
    signals: new Map(signals),
    workers: new Map(workers),
    pauses: new Map(pauses),
    schedules: new Map(schedules),
  };
}

export function writeData({ jobs, keys, signals, workers, pauses, schedules, ...rest }: Data): string {
  return JSON.stringify({
    ...rest,
    jobs: [...jobs],
    keys: [...keys],
    signals: [...signals],
    workers: [...workers],
    pauses: [...pauses],
    schedules: [...schedules],
  } satisfies StoredData);
}

type Entries<M> = M extends Map<infer Key, infer Value> ? [Key, Value][] : never;

interface StoredData extends Omit<Data, "jobs" | "keys" | "signals" | "workers" | "pauses" | "schedules"> {
  readonly jobs: Entries<Data["jobs"]>;
  readonly keys: Entries<Data["keys"]>;
  readonly signals: Entries<Data["signals"]>;
  readonly workers: Entries<Data["workers"]>;
  readonly pauses: Entries<Data["pauses"]>;
  readonly schedules: Entries<Data["schedules"]>;
}
