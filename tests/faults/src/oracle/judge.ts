import type { Attack } from "../attack/plan.ts";
import { readJournal } from "../work/journal.ts";
import { rules } from "./rules.ts";

/** What an attack has brought to light. */
export interface Verdict {
  readonly violations: Readonly<Record<string, number>>;
  /** Why the run says nothing, however clean it is; undefined: it counts. */
  readonly void: string | undefined;
  readonly chains: number;
  readonly jobs: number;
  readonly completedChains: number;
  readonly acknowledged: number;
  readonly effects: number;
}

/** Counts everything that may not be, once all is quiet. */
export async function judge(attack: Attack): Promise<Verdict> {
  const { examiner, tally } = attack;
  const acknowledged = await sayWhatWasSaid(attack);
  const violations: Record<string, number> = {
    "keys seen with two live chains": tally.keysShared,
    "processes that ended by themselves": tally.processesCrashed,
  };
  for (const { name, sql } of rules) violations[name] = await examiner.count(sql);
  const chains = await examiner.count("select count(*) from fault_job where step = 1");
  const completedChains = await examiner.count("select count(*) from fault_job where chain_status = 'completed'");
  return {
    violations,
    void: whyVoid(attack, { chains, completedChains }),
    chains,
    jobs: await examiner.count("select count(*) from fault_job"),
    completedChains,
    acknowledged,
    effects: await examiner.count("select count(*) from fault_effect where kind = 'ended'"),
  };
}

/** Puts the journals of the starters beside what the database says. How many starts were acknowledged. */
async function sayWhatWasSaid({ starterJournals, examiner }: Attack): Promise<number> {
  let acknowledged = 0;
  for (const path of starterJournals) {
    const lines = readJournal(path);
    for (const kind of ["acknowledged", "doomed"] as const) {
      const ids = lines.flatMap(([word, id]) => (word === kind && id !== undefined ? [id] : []));
      await examiner.say(kind, ids);
      if (kind === "acknowledged") acknowledged += ids.length;
    }
  }
  return acknowledged;
}

/** A run that met nothing proves nothing. */
function whyVoid(
  { tally }: Attack,
  { chains, completedChains }: { readonly chains: number; readonly completedChains: number },
): string | undefined {
  if (chains === 0) return "nothing was started";
  // Parked chains are cancelled in part, and poisonous ones fail.
  if (completedChains < chains * 0.8) return `only ${completedChains} of ${chains} chains completed`;
  if (tally.killsThatHit * 2 < tally.workerKills)
    return `only ${tally.killsThatHit} of ${tally.workerKills} kills hit an attempt`;
  return undefined;
}
