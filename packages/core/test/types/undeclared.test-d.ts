import { isErasedClient } from "chainwright/adapter";
import type { AnyClient, CompletedChain, StoredJob, UndeclaredChain, UndeclaredJob, UndeclaredName } from "chainwright";
import { expectTypeOf, it } from "vitest";
import { client } from "./job-types.ts";

it("a chain that is read without a type may be of a type that the client does not declare", async () => {
  const chain = await client.getChain({ id: "c" });
  expectTypeOf(chain?.typeName).toEqualTypeOf<
    "order.place" | "stock.reserve" | "fraud.check" | UndeclaredName | undefined
  >();
  expectTypeOf(chain?.input).toEqualTypeOf<unknown>();
  if (chain?.typeName === "stock.reserve" && chain.status === "completed") {
    expectTypeOf(chain.input).toEqualTypeOf<{ sku: string }>();
    expectTypeOf(chain.output).toEqualTypeOf<{ reserved: number }>();
  }
});

it("what a comparison with every declared name leaves over is undeclared", async () => {
  const { items } = await client.listChains({ status: "failed" });
  for (const chain of items) {
    switch (chain.typeName) {
      case "order.place":
        expectTypeOf(chain.input).toEqualTypeOf<{ orderId: string }>();
        break;
      case "stock.reserve":
      case "fraud.check":
        break;
      default:
        expectTypeOf(chain).toExtend<UndeclaredChain>();
        expectTypeOf(chain.typeName).toEqualTypeOf<UndeclaredName>();
        expectTypeOf(chain.input).toEqualTypeOf<unknown>();
    }
  }
});

it("a job of any type is narrowed by its name", async () => {
  const job = await client.getJob({ id: "j" });
  if (job?.typeName === "order.refund") {
    expectTypeOf(job).toEqualTypeOf<StoredJob<"order.refund", { orderId: string }, { refunded: true }>>();
  }
  if (job === undefined || job.typeName === "order.place" || job.typeName === "order.charge") return;
  if (job.typeName === "order.refund" || job.typeName === "stock.reserve" || job.typeName === "fraud.check") return;
  expectTypeOf(job).toEqualTypeOf<UndeclaredJob>();
});

it("every read without a type may return what is undeclared", async () => {
  const { output, typeName } = await client.awaitChain({ id: "c" });
  expectTypeOf(output).toEqualTypeOf<unknown>();
  expectTypeOf<UndeclaredName>().toExtend<typeof typeName>();
  for (const { items } of [
    await client.listJobs(),
    await client.listScheduledJobs(),
    await client.listChainJobs({ id: "c" }),
    await client.listBlockedJobs({ id: "c" }),
  ]) {
    expectTypeOf<UndeclaredJob>().toExtend<(typeof items)[number]>();
  }
  const blockers = await client.listJobBlockers({ id: "j" });
  expectTypeOf(blockers.items[0]?.input).toEqualTypeOf<unknown>();
});

it("a read with a type returns that type only, and what was read without one can be passed on", async () => {
  expectTypeOf(await client.awaitChain({ id: "c", typeName: "fraud.check" })).toEqualTypeOf<
    CompletedChain<"fraud.check", { orderId: string }, { score: number }>
  >();
  const chain = await client.getChain({ id: "c" });
  if (chain !== undefined) expectTypeOf((await client.awaitChain(chain)).output).toEqualTypeOf<unknown>();
});

it("a client that may return what is undeclared is still a client of any job types", () => {
  expectTypeOf(client).toExtend<AnyClient>();
});

it("a client of any job types can be used without them, once it is known to have all calls", async () => {
  const any: AnyClient = client;
  if (!isErasedClient(any)) return;
  const [started] = await any.startChains({ items: [{ typeName: "any", input: null }] });
  expectTypeOf(started?.input).toEqualTypeOf<unknown>();
  // @ts-expect-error a start without a type
  await any.startChains({ items: [{ input: null }] });
});

it("the input of a chain that was read can be started again", async () => {
  const chain = await client.getChain({ id: "c", typeName: "order.place" });
  if (chain !== undefined) await client.startChain({ typeName: chain.typeName, input: chain.input });
});
