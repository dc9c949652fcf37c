import type { ExchangeRequest } from "../../src/ports/exchange.ts";
import type { CallOptions } from "../../src/ports/call.ts";
import type { StateAdapter } from "../../src/ports/state.ts";
import { busyRows } from "./busy-rows.ts";
import { factsOf, type Fact } from "./facts.ts";
import type { Life } from "./life.ts";
import { createMisfortune } from "./misfortune.ts";
import type { FaultRates } from "./scenario.ts";
import type { Watch } from "./watch.ts";

type Method = Exclude<
  keyof StateAdapter,
  | "portVersion"
  | "isConflict"
  | "insideTransaction"
  | "transactionOf"
  | "connections"
  | "takesRealTime"
  | "lockHolders"
  | "migrate"
  | "close"
  | "noteAwaited"
  | "readHistory"
  | "listLostWorkers"
  | "groupFailures"
>;

const sound: ReadonlySet<keyof StateAdapter> = new Set([
  "portVersion",
  "isConflict",
  "insideTransaction",
  "transactionOf",
  "connections",
  "takesRealTime",
  "lockHolders",
  "migrate",
  "close",
  "noteAwaited",
  "readHistory",
  "listLostWorkers",
  "groupFailures",
]);

function isFaulty(property: keyof StateAdapter): property is Method {
  return !sound.has(property);
}

/**
 * A connection to a state adapter on which calls fail, are late, lose their reply, or are the last of their process. It reports to
 * the watch what was committed, and whether the engine got the reply.
 */
export function faultyState(state: StateAdapter, life: Life, rates: () => FaultRates, watch: Watch): StateAdapter {
  const { strikes, pause, lifeOrDeath, fails } = createMisfortune(life, rates, watch);
  const busy = busyRows(state, () => strikes("busy"));
  const target = { ...state, exchange: busy.exchange, settle: busy.settle };
  /** The facts that open transactions have seen. */
  const pending = new Map<unknown, Fact[]>();

  /** The way back of a reply: it may never arrive. */
  const deliver = async (facts: readonly Fact[]): Promise<void> => {
    watch.committed(facts);
    await lifeOrDeath();
    fails("replyLost", "the connection was lost before the reply came");
    await pause();
    watch.known(facts);
  };
  const call = async (method: Method, args: readonly unknown[]): Promise<unknown> => {
    const { tx } = args.at(-1) as CallOptions<unknown>;
    await pause();
    await lifeOrDeath();
    fails("failBefore", "the connection was refused");
    if (method === "exchange" && (args[0] as ExchangeRequest).outcomes.length > 0 && strikes("choke")) {
      throw new Error("too much at once");
    }
    const result = await (Reflect.apply(target[method], target, args) as Promise<unknown>);
    const facts = factsOf(method, args[0], result);
    if (tx === undefined) await deliver(facts);
    // Within a transaction a lost reply is the end of the transaction, which its commit simulates.
    else pending.get(tx)?.push(...facts);
    return result;
  };
  const transaction: StateAdapter["transaction"] = async (run, options) => {
    await pause();
    fails("failBefore", "the connection was refused");
    const facts: Fact[] = [];
    const result = await state.transaction(async (tx) => {
      pending.set(tx, facts);
      watch.openTransactions += 1;
      try {
        const value = await Promise.race([run(tx), life.death]);
        fails("failBefore", "the connection was lost before the commit");
        return value;
      } finally {
        pending.delete(tx);
        watch.openTransactions -= 1;
      }
    }, options);
    await deliver(facts);
    return result;
  };
  return new Proxy(state, {
    get(whole, property: keyof StateAdapter) {
      if (property === "transaction") return transaction;
      if (!isFaulty(property)) return whole[property];
      return (...args: readonly unknown[]) => call(property, args);
    },
  });
}
