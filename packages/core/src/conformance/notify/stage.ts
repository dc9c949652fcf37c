import type { Hint, NotifyAdapter } from "../../ports/notify.ts";
import type { CaseGroup } from "../case.ts";
import { present } from "../check.ts";
import type { NotifyBackend, NotifyNeed } from "./backend.ts";
import { createEar } from "./ear.ts";
import type { Ear } from "./ear.ts";

/** What a rule works with. */
export interface NotifyStage {
  readonly adapter: NotifyAdapter;
  /** Another adapter on the same channel. */
  connect(): Promise<NotifyAdapter>;
  elsewhere(): Promise<NotifyAdapter>;
  say(text: string): Promise<void>;
  breakLinks(): Promise<void>;
  /** Subscribes an ear. */
  listen(adapter: NotifyAdapter): Promise<Ear>;
}

export type NotifyGroup = CaseGroup<NotifyStage, NotifyNeed>;

export const ended = (chainId: string): Hint => ({ kind: "ended", chainId });

/** Runs one rule, and closes whatever was opened for it. */
export async function play(
  open: () => Promise<NotifyBackend>,
  rule: (stage: NotifyStage) => Promise<void>,
): Promise<void> {
  const backend = await open();
  const adapters = [backend.adapter];
  const keep = async (opening: Promise<NotifyAdapter>): Promise<NotifyAdapter> => {
    const adapter = await opening;
    adapters.push(adapter);
    return adapter;
  };
  const offered = <T>(what: NotifyNeed, value: T | undefined): T =>
    present(`the backend gives ${what}, or \`without\` says why not`, value);
  try {
    await rule({
      adapter: backend.adapter,
      connect: async () => (backend.connect === undefined ? backend.adapter : await keep(backend.connect())),
      elsewhere: () => keep(offered("elsewhere", backend.elsewhere)()),
      say: (text) => offered("say", backend.say)(text),
      breakLinks: () => offered("breakLinks", backend.breakLinks)(),
      async listen(adapter) {
        const ear = createEar();
        await adapter.subscribe(ear.listener);
        return ear;
      },
    });
  } finally {
    for (const adapter of adapters) await adapter.close();
    await backend.close();
  }
}
