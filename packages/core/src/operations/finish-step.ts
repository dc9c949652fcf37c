import type { Outcome } from "../model/outcome.ts";
import { checkId, checkKeys, checkText, given, invalid } from "../checks/check-options.ts";
import type { Engine } from "../engine/engine.ts";
import { serialize } from "../checks/json.ts";
import type { StartItem } from "./prepare-start.ts";
import { retryConflicts } from "../timing/retry-conflicts.ts";
import { acceptSettleReply } from "./settle.ts";
import { outcomeOf, outputVersionOf } from "./outcome-of.ts";
import { continueWith } from "./continuation.ts";
import { lastStep } from "./last-step.ts";

interface Step {
  readonly id: string;
  /** The step the caller believes is open. */
  readonly typeName: string;
  readonly tx?: unknown;
}

interface Completion extends Step {
  readonly output: unknown;
}

interface Continuation extends Step {
  readonly with: StartItem;
}

const completeKeys = { id: true, typeName: true, output: true, tx: true } satisfies Record<keyof Completion, true>;
const continueKeys = { id: true, typeName: true, with: true, tx: true } satisfies Record<keyof Continuation, true>;

/** Ends a chain without a worker. */
export async function completeChain(engine: Engine, options: Completion): Promise<void> {
  checkKeys(options, completeKeys, "completeChain");
  if (!("output" in options))
    throw invalid("completeChain must have an output; got none. Pass null if there is nothing to return.");
  const target = openStep(options);
  const what = `the output of "${target.typeName}"`;
  const value = await engine.types.checkOutput(target.typeName, options.output);
  const output = serialize(value, what, engine.maxPayloadBytes);
  const outputVersion = outputVersionOf(engine, target.typeName);
  await settleOpenStep(engine, { kind: "completed", target, output, outputVersion }, options.tx);
}

/** Advances a chain without a worker. */
export async function continueChain(engine: Engine, options: Continuation): Promise<void> {
  checkKeys(options, continueKeys, "continueChain");
  const target = openStep(options);
  const next = given(options.with, "continueChain's `with`");
  const inheritsNothing = next.priority !== undefined && next.pool !== undefined;
  const { priority, pool } = inheritsNothing
    ? { priority: 0, pool: undefined }
    : await lastStep(engine, target.chainId, options.tx);
  const outcome = await outcomeOf(engine, { target, typeName: target.typeName, priority, pool }, continueWith(next));
  await settleOpenStep(engine, outcome, options.tx);
}

function openStep({ id, typeName }: Step): { readonly chainId: string; readonly typeName: string } {
  return { chainId: checkId(id, "id"), typeName: checkText(typeName, "typeName", 1_000) };
}

async function settleOpenStep(engine: Engine, outcome: Outcome, tx: unknown): Promise<void> {
  const call = () => engine.state.settle([outcome], engine.callOptions(tx));
  const replies = tx === undefined ? await retryConflicts(engine.state, engine.clock, call) : await call();
  const lost = acceptSettleReply(engine, outcome, replies, { by: undefined, tx });
  if (lost !== undefined) throw new TypeError(`the state adapter reported ${lost} for an outcome without a lease.`);
}
