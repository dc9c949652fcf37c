import { setTimeout as delay } from "node:timers/promises";
import type { Session } from "../store/open-store.ts";
import { bouncedName } from "../store/postgres-client.ts";
import type { Census } from "../work/worker-process.ts";
import type { Child } from "./children.ts";
import type { Attack } from "./plan.ts";

/** Renewals and looks for work take a connection for a moment: what is still taken after so long is taken for good. */
const patienceMs = 15_000;
const looks = 10;

/** The connections that a worker at rest has handed out: the fewest of some looks, and no more than before if it can be. */
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

/** The sessions that are still there after a while, but for those that may be. */
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

/** Those of PgBouncer stay when its clients have gone, but not with a transaction. */
function isOfProcess({ owner, idleInTransactionMs }: Session): boolean {
  return owner !== bouncedName || idleInTransactionMs !== undefined;
}
