import { isChainwrightError, type Chain } from "chainwright";
import type { Asked, Context } from "../context.ts";
import { readQueryOf } from "../context.ts";
import { json, type Reply } from "../http/message.ts";
import { Refusal } from "../http/refusal.ts";
import type { Caller } from "../keys.ts";
import type { GatewayVerb } from "../options.ts";
import { queries } from "../schemas.ts";

/** Reads a chain, and waits for its end where the request says so. */
export async function read(context: Context, { call, caller, id }: Asked): Promise<Reply> {
  const { waitMs = 0 } = readQueryOf(call, queries.read);
  const chain = await chainFor(context, { caller, id }, "read");
  if (chain.status !== "active" || waitMs === 0) return json(shown(chain));
  const leave = context.parking.enter(caller);
  try {
    await untilEnded(context, id, waitMs, call.signal);
  } finally {
    leave();
  }
  return json(shown(await chainFor(context, { caller, id }, "read")));
}

/** The chain, if the key may do that with it. One of a type that it may not see does not exist for it. */
export async function chainFor(
  { client }: Context,
  { caller, id }: { readonly caller: Caller; readonly id: string },
  verb: GatewayVerb,
): Promise<Chain> {
  const chain = await findChain(client, id);
  if (chain === undefined || !caller.sees(chain.typeName)) throw notFound(id);
  if (!caller.may(verb, chain.typeName))
    throw new Refusal(403, "forbidden", `The key may not ${verb} "${chain.typeName}".`);
  return chain;
}

/** A chain whose payloads cannot be read is read from a list, which returns the rest of it. */
async function findChain(client: Context["client"], id: string): Promise<Chain | undefined> {
  try {
    return await client.getChain({ id });
  } catch (error) {
    if (!isChainwrightError(error, "input-unreadable")) throw error;
    return (await client.listChains({ ids: [id] })).items[0];
  }
}

function notFound(id: string): Refusal {
  return new Refusal(404, "chain-not-found", `There is no chain ${id}.`);
}

const ends = ["await-timeout", "chain-failed", "chain-cancelled", "chain-not-found", "closed"] as const;

/** However it ends, the chain is read again. */
async function untilEnded({ client }: Context, id: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
  try {
    await client.awaitChain({ id }, { timeoutMs, signal });
  } catch (error) {
    if (!signal.aborted && !ends.some((code) => isChainwrightError(error, code))) throw error;
  }
}

/** Without the input, which may be unreadable where the rest is not. */
function shown(chain: Chain): object {
  const { id, typeName, status, createdAt } = chain;
  const own = (name: string): unknown => Reflect.get(chain, name);
  const ended = {
    output: own("output"),
    error: publicError(own("error")),
    reason: own("reason"),
    endedAt: own("endedAt"),
  };
  return { id, typeName, status, ...ended, createdAt };
}

/** Stacks stay inside. */
function publicError(error: unknown): unknown {
  if (typeof error !== "object" || error === null) return undefined;
  return Object.fromEntries(Object.entries(error).filter(([key]) => key !== "stack" && key !== "workerId"));
}
