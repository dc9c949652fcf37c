import type { ExchangeReply, Pause } from "chainwright/adapter";
import type { StateFixture } from "./fixture.ts";

type Details = Partial<Omit<Pause, "typeName">>;

export function pause(fixture: StateFixture, typeName: string, details: Details = {}, tx?: unknown): Promise<void> {
  const pauses = [{ typeName, reason: undefined, by: undefined, forMs: undefined, ...details }];
  return fixture.store.setPauses({ pauses, resume: [] }, fixture.options(tx));
}

export function resume(fixture: StateFixture, typeName: string, tx?: unknown): Promise<void> {
  return fixture.store.setPauses({ pauses: [], resume: [typeName] }, fixture.options(tx));
}

export async function paused(fixture: StateFixture, tx?: unknown): Promise<readonly string[]> {
  return (await fixture.store.listPauses(fixture.options(tx))).map(({ typeName }) => typeName);
}

export function ids({ claimed }: Pick<ExchangeReply, "claimed">): readonly string[] {
  return claimed.map(({ id }) => id);
}
