import type { ScenarioFigures, Shown } from "@chainwright/bench-scenarios/table";

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
  readonly floor: { readonly [Name in FloorFigure]: Figure } & {
    readonly publishRoundTrip?: Figure;
    readonly handWritten?: { readonly [Name in FloorFigure]: Figure };
  };
  readonly traffic?: {
    readonly messagesSingle: number;
    readonly messagesConcurrent: number;
    readonly messagesBatched: number;
    readonly emptyClaimsPerJob: number;
  };
};

export interface MemoryRow {
  readonly name: string;
  readonly footprints: readonly Readonly<Record<"setUp" | "inFlight" | "retained" | "code", number>>[];
  readonly growth?: {
    readonly perWaitingJob: number;
    readonly heapAtTenths: readonly number[];
    readonly perJobProcessed: { readonly perUnit: number; readonly error: number };
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

/** A row of bench:scale-out with so many worker processes. */
export interface ScaleOutRun {
  readonly row: string;
  readonly mode: string;
  readonly processes: number;
  readonly idle: number;
  readonly ran: number;
  readonly perSecond: number;
  readonly clientCpuMicros: number;
  readonly idleCpuMicros: number;
  readonly serverCpuMicros: Readonly<Record<string, number>>;
  readonly shares: readonly number[];
  /** Missing if the drain was cut off. */
  readonly latency?: Latency;
}

/** One invocation of a tool. */
export interface Piece<Run> {
  readonly file: string;
  readonly host: Host;
  readonly loadAfter?: number;
  /** Of the command line. */
  readonly options?: readonly string[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly runs: readonly Run[];
}

export interface ScenarioPiece extends Piece<ScenarioFigures> {
  readonly scenarios: readonly Shown[];
}

/** Everything that the page shows. */
export interface Results {
  readonly capacity: readonly Piece<CapacityRun>[];
  readonly backlog: readonly Piece<CapacityRun>[];
  readonly memory: readonly Piece<MemoryRow>[];
  readonly peers: readonly Piece<PeerRun>[];
  readonly scaleOut: readonly Piece<ScaleOutRun>[];
  readonly scenarios: readonly ScenarioPiece[];
  /** Ideas and their results, from the READMEs of the tools. */
  readonly notHelped: readonly (readonly string[])[];
  /** Charts that exist. */
  readonly charts: readonly string[];
}
