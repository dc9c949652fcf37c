import type { AttackReport } from "./attack/run.ts";

/** A readable report of an attack, and whether the store withstood it. */
export function report({ tally, verdict }: AttackReport): { readonly text: string; readonly clean: boolean } {
  const found = Object.entries(verdict.violations).filter(([, count]) => count > 0);
  const { violations, void: why, ...figures } = verdict;
  const lines = [
    ...Object.entries({ ...figures, ...tally }).map(([name, count]) => `  ${wordsOf(name)}: ${count}`),
    `  rules checked: ${Object.keys(violations).length}`,
    ...found.map(([name, count]) => `  VIOLATED: ${name}: ${count}`),
    ...(why === undefined ? [] : [`  THE RUN DOES NOT COUNT: ${why}`]),
  ];
  const clean = found.length === 0 && why === undefined;
  return { text: [...lines, clean ? "  withstood" : "  NOT withstood"].join("\n"), clean };
}

/** `workerKills` in plain words. */
function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
