import { readdirSync } from "node:fs";
import { join } from "node:path";
import { calmPrefix } from "../attack/calm.ts";
import type { Attack } from "../attack/plan.ts";
import type { EventReport } from "../store/open-store.ts";
import { readJournal } from "../work/journal.ts";
import { eventsPath } from "../work/journal-events.ts";

const perStatement = 5_000;

/** Loads the events of all processes into the database, and returns their number. */
export async function tellWhatWasReported({ folder, examiner }: Pick<Attack, "folder" | "examiner">): Promise<number> {
  const byChain = new Map<string, { -readonly [Key in keyof EventReport]: EventReport[Key] }>();
  let events = 0;
  const journals = readdirSync(folder).filter((name) => name.endsWith(eventsPath("")));
  for (const name of journals) {
    const isCalm = name.startsWith(calmPrefix);
    for (const [kind = "", id = ""] of readJournal(join(folder, name))) {
      const report = byChain.get(`${kind} ${id}`) ?? { kind, id, times: 0, calmTimes: 0 };
      report.times += 1;
      if (isCalm) report.calmTimes += 1;
      byChain.set(`${kind} ${id}`, report);
      events += 1;
    }
  }
  const reports = [...byChain.values()];
  for (let at = 0; at < reports.length; at += perStatement)
    await examiner.recordReports(reports.slice(at, at + perStatement));
  return events;
}
