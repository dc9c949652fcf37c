import { setTimeout as delay } from "node:timers/promises";
import type { Session } from "../store/open-store.ts";
import { bouncedName } from "../store/postgres-client.ts";
import type { Census } from "../work/worker-process.ts";
import type { Child } from "./children.ts";
import type { Attack } from "./plan.ts";

/** Renewals and claims take a connection for a moment; one that is still in use after this time has leaked. */
const patienceMs = 15_000;
const looks = 10;

/** The connections that an idle worker has in use: the lowest of several counts, until one is no higher than before. */
export async function censusOf(worker: Child, before = 0): Promise<number> {
  const until = Date.now() + patienceMs;
  let fewest = Infinity;
  for (let look = 0; look < looks || (fewest > before && Date.now() < until); look += 1) {
    const reply = await worker.ask().catch(() => undefined);
    if (reply === undefined) return 0; // it has ended, which is counted elsewhere
    const { taken } = JSON.parse(reply) as Census;
    fewest = Math.min(fewest, taken ?? 0);
    await delay(30);
  }
  return fewest;
}

/** The sessions that still exist after a while, except permitted ones. */
export async function sessionsAtRest(
  { examiner }: Pick<Attack, "examiner">,
  mayBe: (session: Session) => boolean,
): Promise<readonly Session[]> {
  for (const until = Date.now() + patienceMs; ; await delay(100)) {
    const sessions = (await examiner.sessions()).filter(isOfProcess);
    const left = sessions.filter((session) => !mayBe(session));
    if (left.length === 0 || Date.now() > until) return left;
  }
}

/** Sessions of PgBouncer remain after their clients have disconnected, but without a transaction. */
function isOfProcess({ owner, idleInTransactionMs }: Session): boolean {
  return owner !== bouncedName || idleInTransactionMs !== undefined;
}
