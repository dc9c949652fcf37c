import type { LimitRate, LimitRule } from "../model/limit.ts";
import { breakerLets, openBreaker, type BreakerState } from "../rules/breaker.ts";
import type { Changes } from "./changes.ts";
import { createHeap, keepInHeap, popHeap, pushHeap } from "./heap.ts";
import { keptPlaces } from "./row-types.ts";
import type { Gate, LimitRow, LimitStore } from "./row-types.ts";

interface Journaled {
  readonly limits: LimitStore;
  readonly journal: (() => void)[] | undefined;
  readonly changes: Changes | undefined;
}

/** What counts for a key: its own override, else the one for all keys, else what was declared, number by number. */
export function ruleOf({ said, keys }: LimitRow, key: string): LimitRule | undefined {
  const { declared, override: all } = said;
  if (declared === undefined) return undefined;
  const own = keys.size === 0 ? undefined : keys.get(key)?.override;
  if (own === undefined && all === undefined) return declared;
  return {
    concurrency: own?.concurrency ?? all?.concurrency ?? declared.concurrency,
    rate: own?.rate ?? all?.rate ?? declared.rate,
  };
}

/** When the pause of a key ends: the later one of its own and that of all keys. Undefined: it is not paused. */
export function pauseEnd({ said, keys }: LimitRow, key: string, now: number): number | undefined {
  const own = keys.size === 0 ? undefined : keys.get(key)?.pausedUntil;
  if (said.pausedUntil === undefined && own === undefined) return undefined;
  const until = Math.max(said.pausedUntil ?? 0, own ?? 0);
  return until > now ? until : undefined;
}

/** Whether a job may begin. One that has kept its place needs no other. */
export function isOpen(gate: Gate, isKept: boolean, now: number): boolean {
  const rule = ruleOf(gate.limit, gate.key);
  if (rule === undefined || pauseEnd(gate.limit, gate.key, now) !== undefined) return false;
  if (gate.limit.keys.size > 0 && breakerLets(breakerOf(gate), now, (id) => isLeased(gate, id)) === "none")
    return false;
  if (!isKept && rule.concurrency !== undefined && gate.holders.size >= rule.concurrency) return false;
  return rule.rate === undefined || hasToken(gate, windowOf(rule.rate).count, now);
}

/**
 * Whether a job may be claimed ahead of the slots. It keeps no other worker from beginning a job, because half of the places stay free. With
 * a rate it may not, because it begins after the moment of its claim, and not while failures count, because its key may be closed until then.
 */
export function hasRoomAhead(gate: Gate, now: number): boolean {
  const rule = ruleOf(gate.limit, gate.key);
  if (rule === undefined || rule.rate !== undefined) return false;
  if (pauseEnd(gate.limit, gate.key, now) !== undefined || breakerOf(gate) !== undefined) return false;
  return rule.concurrency === undefined || gate.holders.size < Math.floor(rule.concurrency / 2);
}

export function breakerOf({ limit, key }: Gate): BreakerState | undefined {
  return limit.keys.size === 0 ? undefined : limit.keys.get(key)?.breaker;
}

/** Whether a job holds a place under a lease, which may have run out: a worker takes it over. */
function isLeased({ holders }: Gate, id: string): boolean {
  for (const row of holders) if (row.id === id) return row.lease !== keptPlaces;
  return false;
}

/** When a gate that is closed opens by itself. Undefined: not by time. */
export function opensAt(gate: Gate, now: number): number | undefined {
  const paused = pauseEnd(gate.limit, gate.key, now);
  const rate = ruleOf(gate.limit, gate.key)?.rate;
  const token = rate === undefined ? undefined : tokenAt(gate, windowOf(rate).count, now);
  const broken = openBreaker(breakerOf(gate))?.openUntil ?? 0;
  const at = Math.max(paused ?? 0, token ?? 0, broken > now ? broken : 0);
  return at === 0 || at === Infinity ? undefined : at;
}

/** Spends a token of each gate with a rate: one that has rested if there are as many as the rate has. */
export function spendTokens(store: Journaled, gates: readonly Gate[], now: number): void {
  const { limits, journal } = store;
  for (const gate of gates) {
    const rate = ruleOf(gate.limit, gate.key)?.rate;
    if (rate === undefined) continue;
    const { count, perMs } = windowOf(rate);
    const { tokens } = gate;
    const [rested] = tokens.keys;
    const used = rested !== undefined && tokens.keys.length >= count ? popHeap(tokens) : undefined;
    limits.token += 1;
    const { token } = limits;
    pushHeap(tokens, now + perMs, token);
    if (used !== undefined) store.changes?.others.push(["token", gate.limit.name, gate.key, used]);
    store.changes?.others.push(["token", gate.limit.name, gate.key, token, now + perMs]);
    journal?.push(() => {
      takeBack(limits, gate, token);
      if (rested !== undefined && used !== undefined) pushHeap(tokens, rested, used);
    });
  }
}

export function hasRestingTokens({ tokens }: Gate, now: number): boolean {
  return tokens.keys.some((freeAt) => freeAt > now);
}

export function createGate(limit: LimitRow, key: string): Gate {
  return { limit, key, holders: new Set(), waiting: 0, tokens: createHeap(), closed: new Map(), lanes: 0 };
}

/** Evenly spaced beginnings are one token that rests for its share of the window. */
function windowOf({ count, perMs, spread }: LimitRate): Pick<LimitRate, "count" | "perMs"> {
  return spread ? { count: 1, perMs: perMs / count } : { count, perMs };
}

/** When the next token can be used. Undefined: now. */
function tokenAt(gate: Gate, count: number, now: number): number | undefined {
  if (hasToken(gate, count, now)) return undefined;
  const { keys } = gate.tokens;
  return keys.length === count ? keys[0] : keys.toSorted((left, right) => left - right)[keys.length - count];
}

/**
 * Whether a token can be used. Those that have rested are kept, because the clock may be set back; a rate that was lowered has too
 * many.
 */
function hasToken({ tokens }: Gate, count: number, now: number): boolean {
  while (tokens.keys.length > count && (tokens.keys[0] ?? Infinity) <= now) popHeap(tokens);
  return tokens.keys.length < count || (tokens.keys.length === count && (tokens.keys[0] ?? Infinity) <= now);
}

function takeBack({ freed }: LimitStore, gate: Gate, spent: number): void {
  keepInHeap(gate.tokens, (token) => token !== spent);
  freed.add(gate);
}
