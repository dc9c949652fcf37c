import type { RetryItem } from "chainwright/adapter";
import { failed, job } from "./build.ts";
import type { StateFixture } from "./fixture.ts";
import { accepted } from "./fixture.ts";

export function item(chainId: string, details: Partial<RetryItem> = {}): RetryItem {
  return { chainId, input: undefined, typeName: undefined, ...details };
}

export function retry(fixture: StateFixture, items: readonly RetryItem[], tx?: unknown) {
  return fixture.store.retry(items, fixture.options(tx));
}

export async function failedChain(fixture: StateFixture, typeName: string): Promise<string> {
  const { id } = await fixture.startOne(job(typeName));
  await fixture.settled(failed({ chainId: id, typeName }));
  return id;
}

export async function cancelChain(fixture: StateFixture, chainId: string): Promise<void> {
  accepted("cancelled", await fixture.store.cancel([{ chainId, reason: "stop" }], fixture.options()));
}
