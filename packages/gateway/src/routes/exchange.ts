import type { RemoteJob, RemoteOutcome, RemoteReply, RemoteResult } from "chainwright/remote";
import type { z } from "@hono/zod-openapi";
import type { Asked, Context } from "../context.ts";
import { readBodyOf } from "../context.ts";
import type { Reply } from "../http/message.ts";
import { Refusal, toldError } from "../http/refusal.ts";
import { assertMay, type Caller } from "../keys.ts";
import { momentsOf } from "../moments.ts";
import { bodies } from "../schemas.ts";
import { assertFewStarts, blockersOf } from "./starts.ts";
import type { Tokens } from "../tokens.ts";

type Exchange = z.output<typeof bodies.exchange>;
type GivenOutcome = NonNullable<Exchange["outcomes"]>[number];
type GivenClaim = NonNullable<Exchange["claim"]>;

/** Settles outcomes and claims jobs in one round trip. */
export async function exchange(context: Context, { call, caller }: Asked): Promise<Reply> {
  const { outcomes = [], claim } = await readBodyOf(context, call, bodies.exchange);
  assertFewStarts(
    outcomes.flatMap((outcome) => (outcome.kind === "continued" ? outcome.next : [])),
    0,
  );
  const taken = outcomes.map((outcome) => outcomeOf(context, caller, outcome));
  for (const typeName of claim?.types ?? []) assertMay(caller, "work", typeName);
  await context.endOfBurst();
  if (claim === undefined)
    return replyOf(context, await context.remote.exchange({ outcomes: taken }), taken.length === 1);
  const leave = (claim.waitMs ?? 0) > 0 ? context.parking.enter(caller) : undefined;
  try {
    const reply = await context.remote.exchange({ outcomes: taken, claim: claimOf(claim, call.signal) });
    return replyOf(context, reply, false);
  } finally {
    leave?.();
  }
}

function claimOf({ types, limit, leaseMs, waitMs = 0, pools }: GivenClaim, signal: AbortSignal) {
  return { typeNames: types, limit, leaseMs, waitMs, signal, ...(pools !== undefined && { pools }) };
}

function outcomeOf({ tokens }: Context, caller: Caller, given: GivenOutcome): RemoteOutcome {
  const lease = tokens.leaseOf(given.token);
  assertMay(caller, "work", lease.typeName);
  switch (given.kind) {
    case "completed":
      return { lease, kind: "completed", output: given.output };
    case "continued":
      return { lease, kind: "continued", next: nextOf(caller, given.next) };
    case "failed":
      return { lease, kind: "failed", error: errorOf(given.error), fatal: given.fatal };
    case "rescheduled":
      return { lease, kind: "rescheduled", schedule: scheduleOf(given) };
    case "returned":
      return { lease, kind: "returned" };
  }
}

type GivenNext = Extract<GivenOutcome, { readonly kind: "continued" }>["next"];

/** Which types may follow, and which one undoes a step, is declared; blockers are chains of their own. */
function nextOf(caller: Caller, { typeName, input = null, blockers, compensate, ...next }: GivenNext) {
  return {
    typeName,
    input,
    ...momentsOf(next),
    ...(blockers !== undefined && { blockers: blockersOf(caller, blockers) }),
    ...(compensate !== undefined && { compensate: { ...compensate, input: compensate.input ?? null } }),
  };
}

function scheduleOf({ at, afterMs }: Extract<GivenOutcome, { readonly kind: "rescheduled" }>) {
  if ((at === undefined) === (afterMs === undefined))
    throw new Refusal(400, "invalid-request", "A rescheduled outcome has either afterMs or at.");
  return at === undefined ? { afterMs: afterMs ?? 0 } : { at: Date.parse(at) };
}

/** The error of a worker elsewhere, with its own stack or none. */
function errorOf({
  name = "Error",
  message,
  stack,
}: Extract<GivenOutcome, { readonly kind: "failed" }>["error"]): Error {
  const error = new Error(message);
  error.name = name;
  error.stack = stack ?? `${name}: ${message}`;
  return error;
}

/** Inputs are JSON text already, so the body is put together as text. */
function replyOf({ tokens, remote }: Context, { results, jobs, nextDueInMs }: RemoteReply, isAlone: boolean): Reply {
  const told = JSON.stringify(results.map(toldResult));
  const due = nextDueInMs === undefined ? "" : `,"nextDueInMs":${nextDueInMs}`;
  const body = `{"results":${told},"jobs":[${jobs.map((job) => jobText(tokens, job)).join(",")}]${due}}`;
  const isLost = isAlone && results[0]?.status === "lost";
  const onUndelivered = jobs.length === 0 ? undefined : () => void remote.giveBack(jobs.map(({ lease }) => lease));
  return { status: isLost ? 409 : 200, body, onUndelivered };
}

function toldResult(result: RemoteResult): object {
  return "error" in result && result.error !== undefined ? { ...result, error: toldError(result.error) } : result;
}

function jobText(tokens: Tokens, { lease, leaseMs, step, input, shown }: RemoteJob): string {
  const { lastError = null, ...rest } = shown;
  const fields = JSON.stringify({ token: tokens.tokenOf(lease), step, leaseMs, ...rest, lastError });
  return `${fields.slice(0, -1)},"input":${input}}`;
}
