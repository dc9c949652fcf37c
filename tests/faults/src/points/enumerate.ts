import { rules } from "../oracle/rules.ts";
import type { Bench } from "./bench.ts";
import { playPoint } from "./play.ts";
import type { Shape } from "./shapes.ts";

export interface Enumeration {
  /** How many points there were. */
  readonly points: number;
  /** By the rule that was broken, how often. */
  readonly violations: Readonly<Record<string, number>>;
}

/** More places than any shape has, were they counted by messages. */
const mostPlaces = 10_000;

export interface EnumerateOptions<Kind extends string> {
  readonly shape: Shape;
  readonly accident: Kind;
  /** 1: every statement or message; 10: every tenth. */
  readonly stride: number;
}

/** Lets an accident happen at one place after the other of a chain of a shape, and judges. */
export async function enumeratePoints<Kind extends string>(
  bench: Bench<Kind>,
  { shape, accident, stride }: EnumerateOptions<Kind>,
): Promise<Enumeration> {
  let points = 0;
  // How many places there are differs a little from time to time.
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
