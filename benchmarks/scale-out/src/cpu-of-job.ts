import type { CellFigures } from "./measure-cell.ts";

/** Microseconds of CPU for each job, of client and servers together. */
export function cpuOfJob({ clientCpuMicros, serverCpuMicros }: CellFigures): number {
  return Object.values(serverCpuMicros).reduce((total, micros) => total + micros, clientCpuMicros);
}
