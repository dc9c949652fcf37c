import type { Deduplication, JobRecord, JobStart, PausedType, WorkerRecord } from "chainwright/adapter";

/** A job as it is stored. The first job of a chain represents the chain, and has its id. */
export interface Job {
  readonly id: string;
  readonly chainId: string;
  readonly typeName: string;
  readonly pool: string | undefined;
  readonly step: number;
  /** Defines "first in". */
  readonly position: number;
  readonly priority: number;
  readonly createdAt: number;
  readonly onBlockerFailure: JobStart["onBlockerFailure"];
  readonly context: string | undefined;
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
  blocking: Blocking | undefined;
  /** With the first job of a chain. */
  chain: Chain | undefined;
}

export interface Blocking {
  /** The ids of the blocker chains in position order; null: deleted since. */
  readonly chainIds: readonly (string | null)[];
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
}

export interface StoredKey extends Pick<Deduplication, "key" | "scope"> {
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

/** Everything that the store knows, between two versions of its text. */
export interface Data {
  readonly storeId: string;
  sequence: number;
  jobs: Map<string, Job>;
  /** The chain that holds a key. */
  keys: Map<string, { readonly chainId: string; readonly until: number | undefined }>;
  /** In the order in which they are continued. */
  releases: Release[];
  workers: Map<string, { readonly worker: WorkerRecord; readonly aliveUntil: number }>;
  /** By the name of the type. */
  pauses: Map<string, Omit<PausedType, "endsInMs">>;
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
      workers: new Map(),
      pauses: new Map(),
    };
  }
  const { jobs, keys, workers, pauses, ...rest } = JSON.parse(text) as StoredData;
  return { ...rest, jobs: new Map(jobs), keys: new Map(keys), workers: new Map(workers), pauses: new Map(pauses) };
}

export function writeData({ jobs, keys, workers, pauses, ...rest }: Data): string {
  return JSON.stringify({
    ...rest,
    jobs: [...jobs],
    keys: [...keys],
    workers: [...workers],
    pauses: [...pauses],
  } satisfies StoredData);
}

type Entries<M> = M extends Map<infer Key, infer Value> ? [Key, Value][] : never;

interface StoredData extends Omit<Data, "jobs" | "keys" | "workers" | "pauses"> {
  readonly jobs: Entries<Data["jobs"]>;
  readonly keys: Entries<Data["keys"]>;
  readonly workers: Entries<Data["workers"]>;
  readonly pauses: Entries<Data["pauses"]>;
}
