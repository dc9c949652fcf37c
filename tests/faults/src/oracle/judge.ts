import type { Attack } from "../attack/plan.ts";
import type { Calm } from "../attack/calm.ts";
import { readJournal } from "../work/journal.ts";
import { eventRules } from "./event-rules.ts";
import { explain } from "./explain.ts";
import { rules } from "./rules.ts";
import { tellWhatWasReported } from "./reports.ts";

/** The findings of an attack. */
export interface Verdict {
  readonly violations: Readonly<Record<string, number>>;
  /** Why the run proves nothing even without violations; undefined if it counts. */
  readonly void: string | undefined;
  readonly chains: number;
  readonly jobs: number;
  readonly completedChains: number;
  readonly deletedChains: number;
  readonly acknowledged: number;
  readonly effects: number;
  readonly eventsReported: number;
}

/** Counts the violations of each rule after the attack. */
export async function judge(attack: Attack, calm: Calm, log: (line: string) => void): Promise<Verdict> {
  const { examiner, tally, brokenOnTheWay } = attack;
  const { acknowledged, uncoded, unanswered } = await sayWhatWasSaid(attack);
  const eventsReported = await tellWhatWasReported(attack);
  const violations: Record<string, number> = {
    "keys seen with two live chains": tally.keysShared,
    "processes that ended by themselves": tally.processesCrashed,
    "calls that failed without a code": uncoded,
    "starts without a reply": unanswered,
    ...Object.fromEntries(brokenOnTheWay),
    ...calm.violations,
  };
  for (const rule of [...rules, ...eventRules(calm.since)]) {
    violations[rule.name] = await examiner.count(rule.sql);
    if (violations[rule.name] === 0) continue;
    for (const line of await explain(examiner, rule)) log(line);
  }
  const chains = await examiner.count("select count(*) from fault_job where step = 1");
  const completedChains = await examiner.count("select count(*) from fault_job where chain_status = 'completed'");
  return {
    violations,
    void: whyVoid(attack, { chains, completedChains }),
    chains,
    jobs: await examiner.count("select count(*) from fault_job"),
    completedChains,
    deletedChains: await examiner.count("select count(*) from fault_gone where step = 1"),
    acknowledged,
    effects: await examiner.count("select count(*) from fault_effect where kind = 'ended'"),
    eventsReported,
  };
}

/** The records of starters about their chains. */
const words: ReadonlySet<string | undefined> = new Set(["acknowledged", "doomed", "deleting", "late"]);

/** Loads the journals of the starters into the database. Returns the number of acknowledged starts, and errors without a code. */
async function sayWhatWasSaid({
  starterJournals,
  examiner,
}: Attack): Promise<Readonly<Record<"acknowledged" | "uncoded" | "unanswered", number>>> {
  const said = new Map<string, string[]>();
  const add = (kind: string, id: string): void => {
    const ids = said.get(kind) ?? [];
    ids.push(id);
    said.set(kind, ids);
  };
  const counts = { uncoded: 0, unanswered: 0 };
  for (const path of starterJournals) {
    for (const [word, id, key] of readJournal(path)) {
      if (word === "uncoded" || word === "unanswered") counts[word] += 1;
      else if (id === undefined) continue;
      else if (word === "keyed") add(`keyed ${key}`, id);
      else if (words.has(word)) add(String(word), id);
    }
  }
  for (const [kind, ids] of said) await examiner.say(kind, ids);
  return { acknowledged: said.get("acknowledged")?.length ?? 0, ...counts };
}

/** A run without hits proves nothing. */
function whyVoid(
  { tally }: Attack,
  { chains, completedChains }: { readonly chains: number; readonly completedChains: number },
): string | undefined {
  if (chains === 0) return "nothing was started";
  // Some parked chains are cancelled, and poisonous ones fail.
  if (completedChains < chains * 0.8) return `only ${completedChains} of ${chains} chains completed`;
  if (tally.killsThatHit * 2 < tally.workerKills)
    return `only ${tally.killsThatHit} of ${tally.workerKills} kills hit an attempt`;
  return undefined;
}
