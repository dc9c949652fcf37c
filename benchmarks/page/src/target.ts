import { number } from "./text.ts";

export interface Target {
  readonly what: string;
  readonly asked: string;
  readonly found: string;
  readonly isMet: boolean;
}

export function atLeast(what: string, least: number, found: number): Target {
  return { what, asked: `at least ${least}`, found: number(found, 2), isMet: found >= least };
}

export function atMost(what: string, most: number, found: number): Target {
  return { what, asked: `at most ${most}`, found: number(found, most < 2 ? 2 : 1), isMet: found <= most };
}
