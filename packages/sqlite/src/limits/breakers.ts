import { rules } from "chainwright/adapter";
import { breakerOf } from "../result-rows.ts";
import type { Store } from "../store.ts";

/** After this time a claim looks again at a gate whose limit no worker has declared, or whose probe runs. */
export const lookMs = 1_000;

/** A gate, as far as failures close it. */
export interface BreakableGate {
  readonly id: number;
  /** JSON. Null: its jobs have not failed lately. */
  readonly breaker: string | null;
  /** Whether its probe begins in this claim. */
  hasProbe?: boolean;
}

/** How many jobs may begin, and when that may change. */
interface Begins {
  readonly begins: number;
  readonly lookAt: number | undefined;
}

/** What the breakers of gates let begin. */
export interface Breakers {
  /** As many as the gate allows otherwise, and one, the probe, while its breaker is half open. */
  begins(gate: BreakableGate, now: number, otherwise: (most: number) => Begins): Begins;
  /** A job of the gate begins. */
  noteProbe(gate: BreakableGate, job: number | undefined): void;
}

export function createBreakers({ tables: t, sql }: Store): Breakers {
  const leased = sql<{ found: number }>(
    `select 1 as found from ${t.job} j join ${t.openJob} o on o.job = j.seq and o.state = 0 where j.id = ?`,
  );
  const idOf = sql<{ id: string }>(`select id from ${t.job} where seq = ?`);
  const setBreaker = sql(`update ${t.gate} set breaker = ? where id = ?`);
  const isLeased = (id: string): boolean => leased.get(id) !== undefined;

  return {
    begins: (gate, now, otherwise) => {
      if (gate.breaker === null) return otherwise(Infinity);
      if (gate.hasProbe === true) return { begins: 0, lookAt: now + lookMs };
      const state = breakerOf(gate.breaker);
      const most = rules.breakerLets(state, now, isLeased);
      if (most === "all") return otherwise(Infinity);
      const openUntil = rules.openBreaker(state)?.openUntil ?? now;
      if (most === "none") return { begins: 0, lookAt: openUntil > now ? openUntil : now + lookMs };
      const { begins, lookAt } = otherwise(1);
      return { begins: Math.min(1, begins), lookAt: begins === 0 ? lookAt : now + lookMs };
    },
    noteProbe: (gate, job) => {
      if (gate.breaker === null || job === undefined) return;
      const state = rules.withProbe(breakerOf(gate.breaker), idOf.get(job)?.id ?? "");
      if (state === undefined) return;
      gate.hasProbe = true;
      setBreaker.run(JSON.stringify(state), gate.id);
    },
  };
}
