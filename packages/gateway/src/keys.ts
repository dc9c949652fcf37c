import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { GatewayKey, GatewayKeys, GatewayScope, GatewayVerb } from "./options.ts";
import { Refusal } from "./http/refusal.ts";

const prefix = "cwk_";

/**
 * Makes a key: the secret for the client, and what the gateway is given. The secret is not stored.
 *
 * @example
 * const { secret, key } = createGatewayKey({ name: "resizer", scopes: [{ types: ["image.*"], verbs: ["work"] }] });
 */
export function createGatewayKey({ name, scopes }: Pick<GatewayKey, "name" | "scopes">): {
  readonly secret: string;
  readonly key: GatewayKey;
} {
  const secret = prefix + randomBytes(32).toString("hex");
  return { secret, key: { name, hash: hashKey(secret), scopes } };
}

/**
 * The hash of a key's secret: SHA-256, in hexadecimal digits.
 *
 * @example
 * hashKey("cwk_7f3a").length; // 64
 */
export function hashKey(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** Who sent a request, and what they may do. */
export interface Caller {
  readonly name: string;
  /** Whether the key has a right to a type. */
  may(verb: GatewayVerb, typeName: string): boolean;
  /** Whether the key has any right to a type: others do not exist for it. */
  sees(typeName: string): boolean;
}

export type FindCaller = (authorization: string | undefined) => Promise<Caller>;

/** Finds the key of a request. The hashes are compared in constant time. */
export function createCallers(keys: GatewayKeys): FindCaller {
  const callers = new WeakMap<GatewayKey, Caller>();
  const find = typeof keys === "function" ? keys : (hash: string) => findIn(keys, hash);
  return async (authorization) => {
    const [, secret] = /^Bearer +(\S{1,512})$/i.exec(authorization ?? "") ?? [];
    if (secret === undefined) throw unauthorised();
    const key = await find(hashKey(secret));
    if (key === undefined) throw unauthorised();
    const known = callers.get(key);
    if (known !== undefined) return known;
    const caller = callerOf(key);
    callers.set(key, caller);
    return caller;
  };
}

function findIn(keys: readonly GatewayKey[], hash: string): GatewayKey | undefined {
  const wanted = Buffer.from(hash, "hex");
  let found: GatewayKey | undefined;
  for (const key of keys) {
    const own = Buffer.from(key.hash, "hex");
    if (own.length === wanted.length && timingSafeEqual(own, wanted)) found = key;
  }
  return found;
}

function unauthorised(): Refusal {
  return new Refusal(401, "unauthorised", "Send a key of this gateway: Authorization: Bearer cwk_...");
}

const ownPrefix = "gateway.callback";
const mostRemembered = 10_000;

function callerOf({ name, scopes }: GatewayKey): Caller {
  const known = new Map<string, ReadonlySet<GatewayVerb>>();
  const verbsFor = (typeName: string): ReadonlySet<GatewayVerb> => {
    const before = known.get(typeName);
    if (before !== undefined) return before;
    const verbs = new Set(scopes.filter(({ types }) => types.some((type) => fits(type, typeName))).flatMap(verbsOf));
    if (known.size >= mostRemembered) known.clear();
    known.set(typeName, verbs);
    return verbs;
  };
  return {
    name,
    may: (verb, typeName) => verbsFor(typeName).has(verb),
    sees: (typeName) => verbsFor(typeName).size > 0,
  };
}

function verbsOf({ verbs }: GatewayScope): readonly GatewayVerb[] {
  return verbs;
}

/** `*` alone is no right to the gateway's own callbacks: who starts one by hand reads what the key may not read. */
function fits(pattern: string, typeName: string): boolean {
  if (pattern === "*") return !typeName.startsWith(ownPrefix);
  return pattern.endsWith("*") ? typeName.startsWith(pattern.slice(0, -1)) : pattern === typeName;
}

/** Refuses a type to which the key has no right. */
export function assertMay(caller: Caller, verb: GatewayVerb, typeName: string): void {
  if (caller.may(verb, typeName)) return;
  if (!caller.sees(typeName)) throw unknownType(typeName);
  throw new Refusal(403, "forbidden", `The key may not ${verb} "${typeName}".`);
}

/** The same error, whether the type does not exist or the key may not see it. */
function unknownType(typeName: string): Refusal {
  return new Refusal(400, "unknown-job-type", `"${typeName.slice(0, 200)}" is not a job type.`);
}
