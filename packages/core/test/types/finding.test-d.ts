import { createClient, type Tags } from "chainwright";
import type { BlockerCounts } from "chainwright/adapter";
import { expectTypeOf, it } from "vitest";
import { orderJobTypes, stateAdapter } from "./job-types.ts";

const client = createClient({ stateAdapter, jobTypes: [orderJobTypes] });

it("a start takes tags, of strings only", async () => {
  await client.startChain({ typeName: "fraud.check", input: { orderId: "o" }, tags: { orderId: "o" } });
  // @ts-expect-error a tag is a string
  await client.startChain({ typeName: "fraud.check", input: { orderId: "o" }, tags: { orderId: 42 } });
});

it("a chain found by its key has the types of its type", async () => {
  const chain = await client.getChain({ typeName: "fraud.check", deduplicationKey: "o" });
  expectTypeOf(chain?.input).toEqualTypeOf<{ orderId: string } | undefined>();
  expectTypeOf(chain?.tags).toEqualTypeOf<Tags | undefined>();
  expectTypeOf(chain?.blockers).toEqualTypeOf<BlockerCounts | undefined>();
  // @ts-expect-error each type has its own keys
  await client.getChain({ deduplicationKey: "o" });
  // @ts-expect-error either an id or a key
  await client.getChain({ id: "c", typeName: "fraud.check", deduplicationKey: "o" });
});

it("a list of chains takes tags and a key, a list of jobs does not", async () => {
  const { items } = await client.listChains({ typeName: "fraud.check", tags: { orderId: "o" }, deduplicationKey: "k" });
  expectTypeOf(items[0]?.typeName).toEqualTypeOf<"fraud.check" | undefined>();
  // @ts-expect-error jobs have no tags
  await client.listJobs({ tags: { orderId: "o" } });
});
