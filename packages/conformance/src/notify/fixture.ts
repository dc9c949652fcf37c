import { isChainwrightError } from "chainwright";
import type { Hint, NotifyAdapter } from "chainwright/adapter";
import type { CaseGroup } from "../case.ts";
import { present } from "../check.ts";
import type { NotifyBackend, NotifyNeed } from "./backend.ts";
import { rememberLastCall } from "../last-call.ts";
import { createHintRecorder, type HintRecorder } from "./hint-recorder.ts";

/** An adapter as one process of a store uses it. */
export interface Peer extends NotifyAdapter {
  /** Publishes hints about the store, under the peer's own name. */
  send(...hints: readonly Hint[]): Promise<void>;
}

/** What a rule gets to work with. */
export interface NotifyFixture {
  readonly adapter: Peer;
  /** Another adapter on the same channel. */
  connect(): Promise<Peer>;
  elsewhere(): Promise<Peer>;
  say(text: string): Promise<void>;
  breakLinks(): Promise<void>;
  /** Subscribes a hint recorder. */
  listen(adapter: NotifyAdapter): Promise<HintRecorder>;
}

export type NotifyGroup = CaseGroup<NotifyFixture, NotifyNeed>;

/** The store that all peers of a case work on. */
const storeId = "store-1";

export const ended = (chainId: string): Hint => ({ kind: "ended", chainId });

/** Runs one rule, and closes everything that was opened for it. */
export async function runRule(
  open: () => Promise<NotifyBackend>,
  rule: (fixture: NotifyFixture) => Promise<void>,
): Promise<void> {
  const backend = await open();
  const calls = rememberLastCall();
  const adapters = [backend.adapter];
  let peers = 0;
  const peerOf = (real: NotifyAdapter): Peer => {
    const adapter = calls.watch(real);
    peers += 1;
    const senderId = `peer-${peers}`;
    return {
      portVersion: adapter.portVersion,
      publish: (message) => adapter.publish(message),
      send: (...hints) => patiently(() => adapter.publish({ storeId, senderId, hints })),
      subscribe: (listener) => patiently(() => adapter.subscribe(listener)),
      close: () => adapter.close(),
    };
  };
  const keep = async (opening: Promise<NotifyAdapter>): Promise<Peer> => {
    const adapter = await opening;
    adapters.push(adapter);
    return peerOf(adapter);
  };
  const offered = <T>(what: NotifyNeed, value: T | undefined): T =>
    present(`the backend gives ${what}, or \`without\` says why not`, value);
  try {
    await rule({
      adapter: peerOf(backend.adapter),
      connect: async () => (backend.connect === undefined ? peerOf(backend.adapter) : await keep(backend.connect())),
      elsewhere: () => keep(offered("elsewhere", backend.elsewhere)()),
      say: (text) => offered("say", backend.say)(text),
      breakLinks: () => offered("breakLinks", backend.breakLinks)(),
      async listen(adapter) {
        const recorder = createHintRecorder();
        await adapter.subscribe(recorder.listener);
        return recorder;
      },
    }).catch(calls.fail);
  } finally {
    for (const adapter of adapters) await adapter.close();
    await backend.close();
  }
}

/**
 * A refusal in time is what the port asks of an adapter whose broker is slow. Callers subscribe again, and so does a rule. A hint that was
 * refused may still arrive, so a rule that counts them fails if it then arrives twice; all others wait for one.
 */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (let refused = 0; ; refused += 1) {
    try {
      return await call();
    } catch (error) {
      if (refused === 2 || !isChainwrightError(error, "timeout")) throw error;
    }
  }
}
