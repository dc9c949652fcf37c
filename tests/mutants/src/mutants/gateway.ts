import type { Mutant } from "../mutant.ts";

/** Keep workers elsewhere within their rights and their leases, and retries of requests from having an effect twice. */
export const gatewayMutants: readonly Mutant[] = [
  {
    name: "gateway: a token with another signature is refused",
    in: "gateway:createTokens",
    find: "token.length > longest || !secrets.some((secret) => isSame(macOf(secret, payload), mac))",
    replace: "token.length > longest",
  },
  {
    name: "gateway: a signature has one spelling",
    in: "gateway:isSame",
    find: 'given.length === mac.length && timingSafeEqual(given, mac) && mac.toString("base64url") === text',
    replace: "given.length === mac.length && timingSafeEqual(given, mac)",
  },
  {
    name: "gateway: a key settles only jobs of its types",
    in: "gateway:outcomeOf",
    find: 'assertMay(caller, "work", lease.typeName);',
    replace: "",
  },
  {
    name: "gateway: a chain of a type that the key may not see does not exist",
    in: "gateway:chainFor",
    find: "chain === undefined || !caller.sees(chain.typeName)",
    replace: "chain === undefined",
  },
  {
    name: "gateway: an idempotency key with another input is refused",
    in: "gateway:refuseMismatch",
    find: "if (isDeepStrictEqual(input, item.input ?? null)) continue;",
    replace: "continue;",
  },
  {
    name: "gateway: one mismatch undoes the other starts of a request",
    in: "gateway:startAll",
    find: "return isMixed || hasSignals",
    replace: "return hasSignals",
  },
  {
    name: "gateway: a chain that was there before has had the signals of its start",
    in: "gateway:signalsAfter",
    find: "if (deduplicated || idempotencyKey === undefined) return [];",
    replace: "if (idempotencyKey === undefined) return [];",
  },
  {
    name: "gateway: a job is given the outputs of blockers that the key may read",
    in: "gateway:blockersOf",
    find: 'assertMay(caller, "read", blocker.typeName);',
    replace: "",
  },
  {
    name: "remote: what is claimed for a client that has hung up goes back",
    in: "core:deal",
    find: "for (const { lease } of loop.asks.deal(jobs)) handBack(loop, lease);",
    replace: "loop.asks.deal(jobs);",
  },
  {
    name: "remote: the gateway's policy ends the attempts, not the worker",
    in: "core:failed",
    find: "job: { attempt, errors },",
    replace: "job: { attempt: 1, errors },",
  },
  {
    name: "gateway server: a head has a limit of bytes",
    in: "gateway:createNodeServer",
    find: "maxHeaderSize: headBytes,",
    replace: "maxHeaderSize: headBytes * 64,",
  },
  {
    name: "gateway server: a head has a limit of time",
    in: "gateway:createNodeServer",
    find: "headersTimeout: headMs,",
    replace: "headersTimeout: 0,",
  },
  {
    name: "gateway server: a connection ends that stays between two requests",
    in: "gateway:createNodeServer",
    find: "keepAliveTimeout: keepAliveMs,",
    replace: "keepAliveTimeout: 600_000,",
  },
  {
    name: "gateway server: connections have a limit",
    in: "gateway:createNodeServer",
    find: "server.maxConnections = connections;",
    replace: "",
  },
  {
    name: "gateway server: a connection ends on which nothing moves",
    in: "gateway:createNodeServer",
    find: "server.timeout = idleMs;",
    replace: "server.timeout = 0;",
  },
];
