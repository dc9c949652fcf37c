import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { z } from "@hono/zod-openapi";
import type { Asked, Context } from "../context.ts";
import { readBodyOf } from "../context.ts";
import { callbackStart } from "../callbacks/add-callback.ts";
import { whyRefused } from "../callbacks/rules.ts";
import type { StartedChain } from "chainwright";
import type { ErasedStart } from "chainwright/adapter";
import { json, type Reply } from "../http/message.ts";
import { Refusal } from "../http/refusal.ts";
import type { Caller } from "../keys.ts";
import { bodies } from "../schemas.ts";
import { assertFewStarts, startOf } from "./starts.ts";

type Start = z.output<typeof bodies.start>["chains"][number];

/** How long an idempotency key names its chain. */
const idempotencyMs = 24 * 3_600_000;
const longestKey = 512;

/** Starts chains, all or none. */
export async function start(context: Context, { call, caller }: Asked): Promise<Reply> {
  const { chains } = await readBodyOf(context, call, bodies.start);
  const keyed = withHeader(chains, call.header("idempotency-key"));
  assertFewStarts(keyed, keyed.length);
  for (const { callback } of keyed) if (callback !== undefined) assertCallback(context, callback.url);
  const items = keyed.map((item) => itemOf(caller, item));
  await context.endOfBurst();
  const started = await startAll(context, items, { asked: keyed, by: caller.name });
  const isNew = started.some(({ deduplicated }) => !deduplicated);
  const told = started.map(({ id, typeName, status, createdAt, deduplicated }) => ({
    id,
    typeName,
    status,
    createdAt,
    deduplicated,
  }));
  return json({ chains: told }, isNew ? 201 : 200);
}

function withHeader(chains: readonly Start[], key: string | undefined): readonly Start[] {
  if (key === undefined) return chains;
  const [only] = chains;
  if (only === undefined || chains.length > 1 || only.idempotencyKey !== undefined)
    throw new Refusal(
      400,
      "invalid-request",
      "The header Idempotency-Key is for one chain; give items idempotencyKey.",
    );
  if (key === "" || key.length > longestKey)
    throw new Refusal(400, "invalid-request", `Idempotency-Key must have 1 to ${longestKey} characters.`);
  return [{ ...only, idempotencyKey: key }];
}

/** With an idempotency key the signals follow the start: with them a start that is repeated would not find a chain that has ended. */
function itemOf(caller: Caller, { idempotencyKey, callback: _callback, ...item }: Start): ErasedStart {
  const given = startOf(caller, item);
  if (idempotencyKey === undefined) return given;
  if (item.deduplication !== undefined || item.debounce !== undefined || item.throttle !== undefined)
    throw new Refusal(400, "invalid-request", "An idempotency key goes with no deduplication, debounce or throttle.");
  const { signals: _signals, ...unsignalled } = given;
  const deduplication = { key: keyOf(caller, idempotencyKey), scope: "any", windowMs: idempotencyMs };
  return { ...unsignalled, deduplication };
}

/** A key of its own namespace: no other deduplication key of the application is like it, and none of another key's client. */
function keyOf({ name }: Caller, idempotencyKey: string): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([name, idempotencyKey]))
    .digest("base64url");
  return `chainwright.gateway:${hash}`;
}

interface AskedStarts {
  readonly asked: readonly Start[];
  /** The name of the key. */
  readonly by: string;
}

/**
 * In a transaction where one mismatch must undo the others, and with callbacks and with signals that follow the start, so that no chain is
 * without its own.
 */
async function startAll(
  context: Context,
  items: readonly ErasedStart[],
  { asked, by }: AskedStarts,
): Promise<readonly StartedChain<string, unknown>[]> {
  const { client } = context;
  const hasCallbacks = asked.some(({ callback }) => callback !== undefined);
  const isKeyed = asked.some(({ idempotencyKey }) => idempotencyKey !== undefined);
  const hasSignals = isKeyed && asked.some(({ signals }) => signals !== undefined);
  const startIn = async (tx?: unknown): Promise<readonly StartedChain<string, unknown>[]> => {
    const started = await client.startChains(tx === undefined ? { items } : { items, tx });
    refuseMismatch(started, asked);
    if (hasSignals) await client.signalChains({ tx, items: signalsAfter(started, asked) });
    if (hasCallbacks) await addCallbacks(context, started, { asked, by, tx });
    return started;
  };
  const isMixed = isKeyed && items.length > 1;
  return isMixed || hasSignals || hasCallbacks ? await client.transaction(startIn) : await startIn();
}

/** The signals that were left out of their starts. A chain that was there before has had its own. */
function signalsAfter(started: readonly StartedChain<string, unknown>[], asked: readonly Start[]) {
  return started.flatMap(({ id, deduplicated }, place) => {
    const { idempotencyKey, signals = [] } = asked[place] ?? {};
    if (deduplicated || idempotencyKey === undefined) return [];
    return signals.map(({ payload = null, ...signal }) => ({ id, ...signal, payload }));
  });
}

/** Once for each chain and URL, so a start that is repeated with its key adds none. */
async function addCallbacks(
  { client }: Context,
  started: readonly StartedChain<string, unknown>[],
  { asked, by, tx }: AskedStarts & { readonly tx: unknown },
): Promise<void> {
  const items = started.flatMap((chain, place) => {
    const callback = asked[place]?.callback;
    return callback === undefined ? [] : callbackStart({ chain, by, ...callback });
  });
  await client.startChains({ tx, items });
}

function assertCallback({ callbackRules }: Context, url: string): void {
  const why =
    callbackRules === undefined ? "is not allowed: this gateway has no callbacks" : whyRefused(url, callbackRules);
  if (why !== undefined) throw new Refusal(400, "invalid-request", `The URL of the callback ${why}.`);
}

function refuseMismatch(started: readonly StartedChain<string, unknown>[], asked: readonly Start[]): void {
  for (const [place, { deduplicated, id, input }] of started.entries()) {
    const item = asked[place];
    if (!deduplicated || item?.idempotencyKey === undefined) continue;
    if (isDeepStrictEqual(input, item.input ?? null)) continue;
    const message = "The idempotency key was used for a start with another input.";
    throw new Refusal(422, "idempotency-mismatch", message, { index: place, id });
  }
}
