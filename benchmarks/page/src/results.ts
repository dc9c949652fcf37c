import { readdirSync, readFileSync } from "node:fs";

/** What the tools write with `--json`, as far as the page shows it. */
export interface Host {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  readonly commit: string;
  readonly load: number;
}

export interface Figure {
  readonly perSecond: number;
  readonly cpuMicros: number;
  readonly serverCpuMicros?: number;
}

export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

type CapacityFigure = "startSingle" | "startConcurrent" | "startBatched" | "value" | "atomic" | "staged";
type FloorFigure = "insertOne" | "insertHundred" | "exchangeHundred" | "claimAndSettle";

export type CapacityRun = { readonly [Name in CapacityFigure]: Figure } & {
  readonly name: string;
  readonly point: { readonly backlog: number };
  readonly latency: Latency;
  readonly floor: { readonly [Name in FloorFigure]: Figure } & { readonly publishRoundTrip?: Figure };
  readonly traffic?: {
    readonly messagesSingle: number;
    readonly messagesConcurrent: number;
    readonly messagesBatched: number;
    readonly emptyClaimsPerJob: number;
  };
};

export interface MemoryRow {
  readonly name: string;
  readonly published?: readonly number[];
  readonly footprints: readonly Readonly<Record<"setUp" | "inFlight" | "retained" | "code", number>>[];
  readonly growth?: {
    readonly perWaitingJob: number;
    readonly heapAtTenths: readonly number[];
    readonly perJobProcessed: number;
  };
}

export type PeerFigure =
  | "enqueueOne"
  | "enqueueConcurrently"
  | "enqueueHundred"
  | "drainTen"
  | "drainHundred"
  | "drainRecommended"
  | "threeSteps"
  | "withBacklog";

export type PeerRun = { readonly [Name in PeerFigure]?: Figure } & {
  readonly name: string;
  readonly league: string;
  readonly latency: Latency;
};

/** One invocation of a tool. */
export interface Piece<Run> {
  readonly file: string;
  readonly host: Host;
  readonly loadAfter?: number;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly runs: readonly Run[];
}

/** Reads the pieces whose names begin so, in the order of their names. */
export function readPieces<Run>(folder: URL, beginning: string): readonly Piece<Run>[] {
  return readdirSync(folder)
    .filter((file) => file.startsWith(beginning) && file.endsWith(".json"))
    .sort()
    .map((file) => {
      const read = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Piece<Run> & {
        readonly rows?: readonly Run[];
      };
      return { ...read, file, runs: read.rows ?? read.runs };
    });
}
