import { availableParallelism, cpus, loadavg } from "node:os";

/** Where figures were taken: a time alone means nothing on another machine. */
export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly node: string;
  /** Over the last minute, before the run. */
  readonly load: number;
}

export function describeMachine(): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? "unknown processor",
    cores: availableParallelism(),
    node: process.versions.node,
    load: loadavg()[0] ?? 0,
  };
}
