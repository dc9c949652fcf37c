import type { ChainId, ChainwrightEvent, JobId } from "chainwright";
import { defineJobTypes } from "chainwright";
import { expectTypeOf, it } from "vitest";
import { client } from "./job-types.ts";

const id: string = "01890a5d-ac96-774b-bcce-b302099a8057";

it("every call by id accepts a plain string", async () => {
  await client.getChain({ id });
  await client.getJob({ id });
  await client.listChainJobs({ id });
  await client.listJobBlockers({ id });
  await client.explainJob({ id });
  await client.explainChain({ id });
  await client.triggerJobs({ items: [{ id }] });
  await client.cancelChain({ id });
  await client.awaitChain({ id });
});

it("chains and jobs have ids of their own types, which are strings", async () => {
  const chain = await client.startChain({ typeName: "stock.reserve", input: { sku: "s" } });
  const job = await client.getJob({ id });
  expectTypeOf(chain.id).toEqualTypeOf<ChainId>();
  expectTypeOf(job?.id).toEqualTypeOf<JobId | undefined>();
  expectTypeOf(job?.chainId).toEqualTypeOf<ChainId | undefined>();
  expectTypeOf(job?.continuedAs).toEqualTypeOf<JobId | undefined>();
  const texts: string[] = [chain.id, chain.id.toUpperCase(), `chain ${chain.id}`];
  expectTypeOf(texts.includes(chain.id)).toEqualTypeOf<boolean>();
  expectTypeOf(new Map<string, number>().get(chain.id)).toEqualTypeOf<number | undefined>();
});

it("the id of a chain is refused where the id of a job is wanted", async () => {
  const chain = await client.startChain({ typeName: "stock.reserve", input: { sku: "s" } });
  // @ts-expect-error: use listChainJobs
  await client.getJob({ id: chain.id });
  // @ts-expect-error: use explainChain
  await client.explainJob({ id: chain.id });
  // @ts-expect-error: use listScheduledJobs
  await client.triggerJob({ id: chain.id });
  // @ts-expect-error: use listScheduledJobs
  await client.triggerJobs({ items: [{ id: chain.id }] });
  // @ts-expect-error: use listChainJobs
  await client.listJobBlockers({ id: chain.id });
  // @ts-expect-error: a chain
  await client.getJob(chain);
});

it("the id of a job is refused where the id of a chain is wanted", async () => {
  const job = await client.getJob({ id });
  if (job === undefined) return;
  // @ts-expect-error: use job.chainId
  await client.getChain({ id: job.id });
  // @ts-expect-error: use job.chainId
  await client.awaitChain({ id: job.id });
  // @ts-expect-error: use job.chainId
  await client.listChainJobs({ id: job.id });
  // @ts-expect-error: use job.chainId
  await client.cancelChain({ id: job.id });
  // @ts-expect-error: use job.chainId
  await client.deleteChains({ items: [job] });
  // @ts-expect-error: use job.chainId
  await client.completeChain({ id: job.id, typeName: "fraud.check", output: { score: 1 } });
  await client.explainChain({ id: job.chainId });
});

it("events have the ids of chains and jobs", () => {
  type Failed = Extract<ChainwrightEvent, { readonly type: "job-failed" }>;
  expectTypeOf<Failed["jobId"]>().toEqualTypeOf<JobId>();
  expectTypeOf<Failed["chainId"]>().toEqualTypeOf<ChainId>();
});

it("payloads may hold ids, as they are read or as plain strings", async () => {
  const jobTypes = defineJobTypes<{
    a: { entry: true; input: { chainId: ChainId; jobs: readonly JobId[] }; output: { id: ChainId | null } };
    b: { entry: true; input: { chainId: string }; output: null };
  }>();
  expectTypeOf(jobTypes.definitions).not.toBeAny();
  const chain = await client.startChain({ typeName: "stock.reserve", input: { sku: "s" } });
  const plain: { chainId: string } = { chainId: chain.id };
  const own: { chainId: ChainId } = { chainId: id };
  expectTypeOf(plain.chainId).toEqualTypeOf<string>();
  expectTypeOf(own.chainId).toEqualTypeOf<ChainId>();
});

it("calls by id accept a chain as it was started or read", async () => {
  const started = await client.startChain({ typeName: "stock.reserve", input: { sku: "s" } });
  const chain = await client.getChain(started);
  if (chain === undefined) return;
  expectTypeOf(chain.typeName).toEqualTypeOf<"stock.reserve">();
  await client.awaitChain(chain);
  await client.cancelChain(chain);
  await client.cancelChains({ items: [started, { ...chain, reason: "by hand" }] });
  await client.deleteChain(chain);
  await client.deleteChain({ ...chain, cascade: true });
  await client.explainChain(chain);
  expectTypeOf((await client.getChain(chain))?.typeName).toEqualTypeOf<"stock.reserve" | undefined>();
  const { items } = await client.listChains({ status: ["completed", "failed"] });
  for (const each of items) await client.getChain(each);
  await client.deleteChains({ items });
});

it("the steps and the dependents of a chain as it was read are of any type", async () => {
  const { items: chains } = await client.listChains({ typeName: "order.place" });
  const [chain] = chains;
  if (chain === undefined) return;
  const all = await client.listChainJobs({ id });
  expectTypeOf(await client.listChainJobs(chain)).toEqualTypeOf<typeof all>();
  expectTypeOf(await client.listBlockedJobs(chain)).toEqualTypeOf<typeof all>();
  expectTypeOf(await client.listChainJobs({ ...chain, limit: 10 })).toEqualTypeOf<typeof all>();
});

it("calls by id accept a job as it was read", async () => {
  const { items } = await client.listScheduledJobs();
  const [job] = items;
  if (job === undefined) return;
  await client.getJob(job);
  await client.explainJob(job);
  await client.listJobBlockers(job);
  await client.triggerJob(job);
  await client.triggerJobs({ items });
});

it("a misspelt option is refused", async () => {
  // @ts-expect-error: reason
  await client.cancelChain({ id, raeson: "by hand" });
  // @ts-expect-error: cascade
  await client.deleteChain({ id, cascades: true });
  // @ts-expect-error: typeName
  await client.getChain({ id, type: "stock.reserve" });
});
