import { readdirSync } from "node:fs";
import { join } from "node:path";
import { calmPrefix } from "../attack/calm.ts";
import type { Attack } from "../attack/plan.ts";
import type { Told } from "../store/open-store.ts";
import { readJournal } from "../work/journal.ts";
import { eventsPath } from "../work/journal-events.ts";

const perStatement = 5_000;

/** Puts the events of all processes beside what the database says. How many there were. */
export async function tellWhatWasReported({ folder, examiner }: Pick<Attack, "folder" | "examiner">): Promise<number> {
  const told = new Map<string, { -readonly [Key in keyof Told]: Told[Key] }>();
  let events = 0;
  const journals = readdirSync(folder).filter((name) => name.endsWith(eventsPath("")));
  for (const name of journals) {
    const isCalm = name.startsWith(calmPrefix);
    for (const [kind = "", id = ""] of readJournal(join(folder, name))) {
      const report = told.get(`${kind} ${id}`) ?? { kind, id, times: 0, calmTimes: 0 };
      report.times += 1;
      if (isCalm) report.calmTimes += 1;
      told.set(`${kind} ${id}`, report);
      events += 1;
    }
  }
  const reports = [...told.values()];
  for (let at = 0; at < reports.length; at += perStatement) await examiner.told(reports.slice(at, at + perStatement));
  return events;
}
