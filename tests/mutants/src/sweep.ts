import { rmSync } from "node:fs";
import type { Choice } from "./arguments.ts";
import { apply, copySources } from "./copy-sources.ts";
import { endWithThisProcess } from "./end-with-this-process.ts";
import { providePostgres } from "./provide-postgres.ts";
import { runSteps } from "./suites.ts";
import type { Found } from "./suites.ts";

/** Tries the mutants that were chosen and prints a row for each. Resolves to whether a test noticed every one of them. */
export async function sweep({ targets, every, minutes, checksFirst }: Choice): Promise<boolean> {
  const endsAt = performance.now() + (minutes ?? Infinity) * 60_000;
  const { signal } = endWithThisProcess();
  const root = copySources();
  const postgres = targets.some(({ name }) => name === "postgres") ? await providePostgres() : undefined;
  let isGood = true;
  print("| protection taken out | noticed by | the first test that fails |");
  print("| --- | --- | --- |");
  if (checksFirst) {
    for (const { name, steps } of targets) {
      const found = await runSteps(steps, { root, every: true, signal });
      print(rowOf(`nothing (${name})`, found));
      isGood &&= !hasNoticed(found);
    }
  }
  const all = targets.flatMap(({ mutants, steps }) => mutants.map((mutant) => ({ mutant, steps })));
  const queue = minutes === undefined ? all : shuffled(all);
  while (performance.now() < endsAt) {
    const next = queue.shift();
    if (next === undefined) break;
    const restore = apply(root, next.mutant);
    const found = await runSteps(next.steps, { root, every, signal });
    print(rowOf(next.mutant.name, found));
    restore();
    isGood &&= hasNoticed(found);
  }
  if (queue.length > 0) print(`\nThe time is up; ${queue.length} mutants were not tried.`);
  await postgres?.stop();
  rmSync(root, { recursive: true, force: true });
  return isGood;
}

function hasNoticed(found: Found): boolean {
  return [...found.values()].some((failed) => failed.length > 0);
}

/** One row of the table: each suite that noticed, with the first test that failed. */
function rowOf(name: string, found: Found): string {
  if (!hasNoticed(found)) return `| ${name} | **no test** | |`;
  const noticed = [...found].filter(([, failed]) => failed.length > 0);
  const cell = (failed: readonly string[]) =>
    failed.length > 1 ? `${failed[0]} (and ${failed.length - 1} more)` : (failed[0] ?? "");
  const suites = noticed.map(([suite]) => suite).join("<br>");
  const tests = noticed.map(([, failed]) => cell(failed).replaceAll("|", "\\|")).join("<br>");
  return `| ${name} | ${suites} | ${tests} |`;
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
