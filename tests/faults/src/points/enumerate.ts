import { rules } from "../oracle/rules.ts";
import type { Bench } from "./bench.ts";
import { playPoint } from "./play.ts";
import type { Shape } from "./shapes.ts";

export interface Enumeration {
  /** The number of points. */
  readonly points: number;
  /** The number of violations of each broken rule. */
  readonly violations: Readonly<Record<string, number>>;
}

/** More places than any shape has, even if every message counts. */
const mostPlaces = 10_000;

export interface EnumerateOptions<Kind extends string> {
  readonly shape: Shape;
  readonly accident: Kind;
  /** 1: every statement or message; 10: every tenth. */
  readonly stride: number;
}

/** Makes an accident happen at each place of a chain of a shape in turn, and checks the rules. */
export async function enumeratePoints<Kind extends string>(
  bench: Bench<Kind>,
  { shape, accident, stride }: EnumerateOptions<Kind>,
): Promise<Enumeration> {
  let points = 0;
  // The number of places varies a little between runs.
  const mostMissed = stride === 1 ? 2 : 1;
  for (let at = 1, missed = 0; missed < mostMissed && at < mostPlaces; at += stride) {
    const happened = await playPoint(bench, { shape, accident, at });
    if (happened) points += 1;
    missed = happened ? 0 : missed + 1;
  }
  const violations: Record<string, number> = {};
  for (const { name, sql } of rules) {
    const count = await bench.examiner.count(sql);
    if (count > 0) violations[name] = count;
  }
  return { points, violations };
}
