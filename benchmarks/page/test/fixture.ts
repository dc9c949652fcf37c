import type { CapacityRun, Host, PeerRun, Piece, Results, ScaleOutRun } from "../src/results.ts";

export const host: Host = {
  processor: "A processor",
  cores: 4,
  memoryGiB: 8,
  system: "Linux",
  node: "v24",
  commit: "abc1234",
  load: 0.2,
};

const figure = { perSecond: 1_000, cpuMicros: 20, serverCpuMicros: 30 };

export const capacityRun: CapacityRun = {
  name: "postgres/pg",
  point: { backlog: 0 },
  startSingle: figure,
  startConcurrent: figure,
  startBatched: figure,
  value: figure,
  atomic: figure,
  staged: figure,
  latency: { p50: 1, p99: 2 },
  floor: { insertOne: figure, insertHundred: figure, exchangeHundred: figure, claimAndSettle: figure },
};

export const scaleOutRun: ScaleOutRun = {
  row: "chainwright, notify postgres",
  mode: "value",
  processes: 1,
  idle: 0,
  ran: 100,
  perSecond: 1_000,
  clientCpuMicros: 30,
  idleCpuMicros: 0,
  serverCpuMicros: { postgres: 20 },
  shares: [100],
  latency: { p50: 1, p99: 2 },
};

const ours: PeerRun = { name: "chainwright", league: "servers", latency: { p50: 1, p99: 2 }, enqueueOne: figure };

export function piece<Run>(file: string, runs: readonly Run[], more: Partial<Piece<Run>> = {}): Piece<Run> {
  return { file, host, settings: { chains: 5_000 }, runs, ...more };
}

export const results: Results = {
  capacity: [piece("capacity.json", [capacityRun], { options: ["--repeat", "3"] })],
  backlog: [],
  memory: [
    piece("memory.json", [
      {
        name: "sqlite",
        footprints: [{ setUp: 10_240, inFlight: 20_480, retained: 1_024, code: 0 }],
        growth: { perWaitingJob: 2, heapAtTenths: [1_048_576], perJobProcessed: { perUnit: 0.5, error: 1 } },
      },
    ]),
  ],
  peers: [piece("peers.json", [ours, { ...ours, name: "pg-boss", enqueueOne: { ...figure, perSecond: 1_500 } }])],
  scaleOut: [],
  scenarios: [],
  notHelped: [["an idea", "no difference"]],
  charts: [],
};
