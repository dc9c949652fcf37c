import type { StateAdapter } from "chainwright";

/** Durations since the last look, by kind. */
export interface Stopwatch {
  note(kind: string, ms: number): void;
  /** Returns what was noted since the last call. */
  take(): ReadonlyMap<string, Spread>;
}

export interface Spread {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

export const noSpread: Spread = { count: 0, p50: 0, p99: 0, most: 0 };

export function createStopwatch(): Stopwatch {
  let noted = new Map<string, number[]>();
  return {
    note: (kind, ms) => {
      const durations = noted.get(kind);
      if (durations === undefined) noted.set(kind, [ms]);
      else durations.push(ms);
    },
    take: () => {
      const spreads = new Map([...noted].map(([kind, durations]) => [kind, spreadOf(durations)]));
      noted = new Map();
      return spreads;
    },
  };
}

function spreadOf(durations: readonly number[]): Spread {
  const sorted = durations.toSorted((left, right) => left - right);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), most: at(1) };
}

/** The same adapter; notes how long exchanges that claim take. */
export function timeClaims<Tx>(adapter: StateAdapter<Tx>, { note }: Stopwatch): StateAdapter<Tx> {
  return {
    ...adapter,
    exchange: async (request, options) => {
      const began = performance.now();
      const reply = await adapter.exchange(request, options);
      if (request.claim !== undefined) note("claim", performance.now() - began);
      return reply;
    },
  };
}
