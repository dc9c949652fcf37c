import { ChainwrightError } from "chainwright";
import type { JobRef, Refusal, StartedJob } from "chainwright/adapter";
import type { PostgresRow } from "./driver.ts";

/** A row of `factColumns`. */
export interface Fact {
  readonly kind: string;
  readonly n: number;
  readonly jobId: string;
  readonly chainId: string;
  readonly typeName: string;
  readonly step: number;
  readonly priority: number;
  readonly attempt: number;
  readonly fence: number;
  readonly at: number;
  readonly wait: number;
  readonly status: string | null;
  readonly body: string | null;
  readonly extra: string | null;
  readonly context: string | null;
}

export function factOf(row: PostgresRow): Fact {
  return {
    kind: String(row[0]),
    n: Number(row[1]),
    jobId: String(row[2]),
    chainId: String(row[3]),
    typeName: String(row[4]),
    step: Number(row[5]),
    priority: Number(row[6]),
    attempt: Number(row[7]),
    fence: Number(row[8]),
    at: Number(row[9]),
    wait: Number(row[10]),
    status: row[11] as string | null,
    body: row[12] as string | null,
    extra: row[13] as string | null,
    context: row[14] as string | null,
  };
}

/** The first position of a rank and type that a claim took. */
export type Place = readonly [rank: number, typeName: string, position: number];

/** Where a claim found its first rows. */
export interface Found {
  /** Tells one server from the one that takes its place: positions of one say nothing about those of the other. */
  readonly server: string;
  readonly places: readonly Place[];
}

/** Of a fact with the JSON of both in `body`. */
export function foundOf({ body }: Fact): Found {
  return JSON.parse(body ?? "") as Found;
}

export function refOf({ jobId, chainId, typeName }: Fact): JobRef {
  return { jobId, chainId, typeName };
}

/** Of a fact with `status` and, where it is scheduled, the milliseconds until it is due in `wait`. */
export function startedJobOf(fact: Fact): StartedJob {
  const status = fact.status as StartedJob["status"];
  return { ...refOf(fact), status, dueInMs: status === "scheduled" ? fact.wait : undefined };
}

/** Of a fact with the JSON of a refusal in `body`. */
export function refusalOf({ body }: Fact): Refusal {
  const { code, id, actual, references } = JSON.parse(body ?? "{}") as Refusal;
  return { code, id, actual: actual ?? undefined, references: references ?? undefined };
}

/** Replies in the order of what was asked. Each was put in its place; where one is missing, no one else's is returned for it. */
export function inPlace<T>(replies: readonly (T | undefined)[], count: number, what: string): readonly T[] {
  return Array.from({ length: count }, (_, n) => {
    const reply = replies[n];
    if (reply !== undefined) return reply;
    throw new ChainwrightError(
      "store-corrupt",
      `${what} ${n} of ${count} has no reply from the store; call client.doctor()`,
    );
  });
}
