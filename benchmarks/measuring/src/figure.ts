/** One measured figure: a rate, and the CPU it took. */
export interface Figure {
  readonly perSecond: number;
  /** Microseconds of CPU for each, of this process and of a server that is a child of the run. */
  readonly cpuMicros: number;
  readonly serverCpuMicros: number | undefined;
}

/** Latencies in milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

/** CPU time that a server has used so far, in microseconds; undefined where it cannot be seen. */
export type ServerCpu = () => number | undefined;

/** Takes the time and CPU that doing `count` things needs. */
export async function measure(count: number, serverCpu: ServerCpu, work: () => Promise<void>): Promise<Figure> {
  globalThis.gc?.();
  const server = serverCpu();
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  await work();
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const serverAfter = serverCpu();
  return {
    perSecond: count / seconds,
    cpuMicros: (user + system) / count,
    serverCpuMicros: server === undefined || serverAfter === undefined ? undefined : (serverAfter - server) / count,
  };
}

/** Returns the value below which a share of the samples is. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
