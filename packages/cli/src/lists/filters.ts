import type { Command, OptionValues } from "@commander-js/extra-typings";
import type { ChainStatus, JobStatus } from "chainwright";
import { integer, listed, repeated } from "../options.ts";
import { readMoment } from "../text/time.ts";
import { UsageError } from "../usage-error.ts";

export const chainStatuses = ["active", "completed", "failed", "cancelled"] as const satisfies readonly ChainStatus[];
export const jobStatuses = [
  "blocked",
  "waiting",
  "scheduled",
  "ready",
  "running",
  "completed",
  "failed",
  "cancelled",
] as const satisfies readonly JobStatus[];

/** The filters of lists, as commander reads them. */
export interface FilterFlags {
  readonly type?: readonly string[] | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly error?: string | undefined;
  readonly limit?: number | undefined;
}

/** The labels of chains. */
export interface LabelFlags {
  readonly tag?: readonly string[] | undefined;
  readonly key?: string | undefined;
}

const mostRows = 1_000_000_000;

/** Adds the filters that lists of chains and of jobs have. */
export function withFilters<Args extends unknown[], Global extends OptionValues, const Words extends readonly string[]>(
  command: Command<Args, {}, Global>,
  noun: string,
  words: Words,
) {
  return command
    .option("--type <names>", "only these job types", listed)
    .option("--status <names>", `only these: ${words.join(", ")}`, wordsOf(words))
    .option("--since <when>", "created since then: a time, or a duration before now such as 2h")
    .option("--until <when>", "created before then")
    .option("--error <text>", "an error contains this text")
    .option("--limit <count>", `at most so many ${noun}`, integer("--limit", 1, mostRows));
}

/** Adds the filters that only chains have. */
export const tagFlag = ["--tag <name=value>", "only chains with this tag; may be repeated", repeated] as const;
export const keyFlag = ["--key <key>", "only chains that were started with this deduplication key"] as const;

function wordsOf<const Words extends readonly string[]>(words: Words) {
  return (text: string, before: readonly Words[number][] | undefined): readonly Words[number][] => {
    const isWord = (each: string): each is Words[number] => words.includes(each);
    return [
      ...(before ?? []),
      ...text.split(",").map((each) => {
        if (isWord(each)) return each;
        throw new UsageError(`--status must be ${words.join(", ")}; got ${each}`);
      }),
    ];
  };
}

/** The filters as the client takes them. */
export function filtersOf({ type, since, until, error }: FilterFlags) {
  return {
    ...(type === undefined ? {} : { typeName: type }),
    ...(since === undefined ? {} : { createdFrom: readMoment(since, "--since") }),
    ...(until === undefined ? {} : { createdBefore: readMoment(until, "--until") }),
    ...(error === undefined ? {} : { errorText: error }),
  };
}

export function labelsOf({ tag, key }: LabelFlags) {
  return {
    ...(tag === undefined ? {} : { tags: tagsOf(tag) }),
    ...(key === undefined ? {} : { deduplicationKey: key }),
  };
}

/** Reads `name=value` texts. */
export function tagsOf(texts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const place = text.indexOf("=");
      if (place < 1) throw new UsageError(`--tag must be name=value; got ${text}`);
      return [text.slice(0, place), text.slice(place + 1)] as const;
    }),
  );
}
