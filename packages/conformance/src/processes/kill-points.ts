import type { StateAdapter } from "chainwright/adapter";

/** How often a point is passed before the process dies there, so that it dies among running work. */
const passes = 2;

type Role = "worker" | "starter";

/** The points at which a process kills itself, and whose they are. */
export const killPoints = {
  "before it hands in an outcome": "worker",
  "after its outcome was written, before the reply": "worker",
  "after a claim, before the reply": "worker",
  "while a handler runs": "worker",
  "in a transaction, before its commit": "worker",
  "after the commit of a transaction, before the reply": "worker",
  "before a start": "starter",
  "after a start was written, before the reply": "starter",
  "in a transaction with a start, before its commit": "starter",
} as const satisfies Readonly<Record<string, Role>>;

export type KillPoint = keyof typeof killPoints;

/** Passes a point: the process dies there, or nothing happens. */
export type PassPoint = (point: KillPoint) => Promise<void>;

export function createPassPoint(killedAt: string | undefined): PassPoint {
  let left = passes;
  return async (point) => {
    if (point !== killedAt) return;
    left -= 1;
    if (left > 0) return;
    process.kill(process.pid, "SIGKILL");
    await new Promise<never>(() => undefined);
  };
}

/** The adapter of a process that dies at a point. */
export function withKillPoints<Tx>(adapter: StateAdapter<Tx>, role: Role, pass: PassPoint): StateAdapter<Tx> {
  const isStarter = role === "starter";
  return {
    ...adapter,
    async start(calls, options) {
      if (isStarter && options.tx === undefined) await pass("before a start");
      const replies = await adapter.start(calls, options);
      if (isStarter && options.tx === undefined) await pass("after a start was written, before the reply");
      return replies;
    },
    async exchange(request, options) {
      const hasOutcomes = request.outcomes.length > 0;
      if (hasOutcomes) await pass("before it hands in an outcome");
      const reply = await adapter.exchange(request, options);
      if (hasOutcomes) await pass("after its outcome was written, before the reply");
      if (reply.claimed.length > 0) await pass("after a claim, before the reply");
      return reply;
    },
    async transaction(run, options) {
      const value = await adapter.transaction(async (tx) => {
        const result = await run(tx);
        await pass(
          isStarter ? "in a transaction with a start, before its commit" : "in a transaction, before its commit",
        );
        return result;
      }, options);
      if (!isStarter) await pass("after the commit of a transaction, before the reply");
      return value;
    },
  };
}
