import type { Outcome } from "../model/outcome.ts";
import { checkId, checkKeys, checkText, given } from "../checks/check-options.ts";
import type { Engine } from "../engine/engine.ts";
import { serialize } from "../checks/json.ts";
import type { StartItem } from "./prepare-start.ts";
import { refusalError } from "./refusal-error.ts";
import { retryConflicts } from "../timing/retry-conflicts.ts";
import { settledEvents } from "./settle.ts";
import { outcomeOf } from "./outcome-of.ts";
import { continueWith } from "./continuation.ts";
import { lastStep } from "./last-step.ts";

const completeKeys: ReadonlySet<string> = new Set(["id", "typeName", "output", "tx"]);
const continueKeys: ReadonlySet<string> = new Set(["id", "typeName", "with", "tx"]);

interface Step {
  readonly id: string;
  /** The step the caller believes is open. */
  readonly typeName: string;
  readonly tx?: unknown;
}

/** Ends a chain without a worker. */
export async function completeChain(engine: Engine, options: Step & { readonly output: unknown }): Promise<void> {
  checkKeys(options, completeKeys, "completeChain");
  const target = openStep(options);
  const what = `the output of "${target.typeName}"`;
  const value = await engine.types.checkOutput(target.typeName, options.output);
  const output = serialize(value, what, engine.maxPayloadBytes);
  await settleOpenStep(engine, { kind: "completed", target, output }, options.tx);
}

/** Advances a chain without a worker. */
export async function continueChain(engine: Engine, options: Step & { readonly with: StartItem }): Promise<void> {
  checkKeys(options, continueKeys, "continueChain");
  const target = openStep(options);
  const next = given(options.with, "continueChain's `with`");
  const { priority } =
    next.priority === undefined ? await lastStep(engine, target.chainId, options.tx) : { priority: 0 };
  const outcome = await outcomeOf(engine, { target, typeName: target.typeName, priority }, continueWith(next));
  await settleOpenStep(engine, outcome, options.tx);
}

function openStep({ id, typeName }: Step): { readonly chainId: string; readonly typeName: string } {
  return { chainId: checkId(id, "id"), typeName: checkText(typeName, "typeName", 1_000) };
}

async function settleOpenStep(engine: Engine, outcome: Outcome, tx: unknown): Promise<void> {
  const call = () => engine.state.settle([outcome], engine.callOptions(tx));
  const [reply] = tx === undefined ? await retryConflicts(engine.state, engine.clock, call) : await call();
  if (reply?.status === "refused") throw refusalError(reply.refusal);
  if (reply?.status !== "settled") throw new TypeError("the state adapter lost an outcome that has no lease to lose");
  engine.events.record(settledEvents(outcome, reply, { now: engine.clock.now(), by: undefined }), tx);
}
