import { defineJobTypes, defineLimits } from "chainwright";

/** A job under a limit, which fails as often as its input says. */
interface Limited {
  readonly entry: true;
  readonly input: { readonly key: string; readonly failures: number };
  readonly output: null;
}

export const limitedJobTypes = defineJobTypes<{ alone: Limited; held: Limited; rated: Limited; broken: Limited }>();

/** How many jobs of a key begin in a time. */
export const rate = { count: 10, perMs: 500 };

/** What the handlers throw as often as the input says. */
export const planned = "it fails, as planned";

/** Opens often, and for a short time. */
const breaker = {
  failures: 2,
  withinMs: 2_000,
  openMs: 300,
  counts: (error: unknown) => error instanceof Error && error.message === planned,
};

const keyOf = ({ key }: Limited["input"]): string => key;

export const limits = defineLimits({
  jobTypes: limitedJobTypes,
  limits: {
    alone: { keys: { alone: keyOf }, concurrency: 1 },
    held: { keys: { held: keyOf }, concurrency: 1, whileRetrying: "hold" },
    rated: { keys: { rated: keyOf }, rate },
    broken: { keys: { broken: keyOf }, concurrency: 5, breaker },
  },
});
