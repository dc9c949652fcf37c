import { rules } from "../oracle/rules.ts";
import type { Bench } from "./bench.ts";
import { playPoint } from "./play.ts";
import type { Shape } from "./shapes.ts";
import type { Accident } from "./tripwire.ts";

export interface Enumeration {
  /** How many points there were. */
  readonly points: number;
  /** By the rule that was broken, how often. */
  readonly violations: Readonly<Record<string, number>>;
}

/** More statements than any shape has. */
const mostStatements = 300;

export interface EnumerateOptions {
  readonly shape: Shape;
  readonly accident: Accident;
  /** 1: every statement; 10: every tenth. */
  readonly stride: number;
}

/** Lets an accident happen at one statement after the other of a chain of a shape, and judges. */
export async function enumeratePoints(
  bench: Bench,
  { shape, accident, stride }: EnumerateOptions,
): Promise<Enumeration> {
  let points = 0;
  // How many statements there are differs a little from time to time.
  for (let at = 1, missed = 0; missed < 2 && at < mostStatements; at += stride) {
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
