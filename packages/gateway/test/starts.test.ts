import { describe, expect, it } from "vitest";
import type { Stage } from "./stage.ts";
import { onEachStore } from "./stores.ts";

const resize = (width: number, more: object = {}) => ({ typeName: "image.resize", input: { width }, ...more });
const paid = (by: string) => ({ typeName: "image.order", signal: "paid", payload: { by } });
const order = (more: object) => ({ typeName: "image.order", input: { width: 1 }, waitUntil: "forever", ...more });

async function idOf({ post }: Pick<Stage, "post">, chain: object): Promise<string> {
  const { status, body } = await post("/v1/chains", { chains: [chain] });
  expect(status).toBeLessThan(300);
  return String((body["chains"] as readonly { readonly id: string }[])[0]?.id);
}

onEachStore((stage) => {
  describe("a blocker that is started with its job", () => {
    it("runs first, and gives the job its output", async () => {
      const made = await stage();
      const { client, claim, claimOne, settle } = made;
      const inner = resize(3, { tags: { tenant: "7" } });
      const id = await idOf(made, resize(1, { blockers: [resize(2, { blockers: [inner] })] }));
      expect((await client.listChains()).items).toHaveLength(3);
      for (const width of [3, 2]) {
        const [job, ...others] = await claim({ limit: 10 });
        expect(job).toMatchObject({ input: { width } });
        expect(others).toEqual([]);
        await settle({ token: job?.token, kind: "completed", output: { url: `s3://${width}` } });
      }
      expect(await claimOne()).toMatchObject({ chainId: id, blockers: [{ output: { url: "s3://2" } }] });
    });

    it("of a next step runs before that step", async () => {
      const made = await stage();
      const { claim, claimOne, settle } = made;
      await idOf(made, resize(1));
      const { token } = await claimOne();
      const next = { typeName: "image.publish", input: { url: "a" }, blockers: [resize(2)] };
      expect((await settle({ token, kind: "continued", next })).body).toEqual({
        results: [{ status: "settled" }],
        jobs: [],
      });
      expect(await claim({ types: ["image.publish"] })).toEqual([]);
      const blocker = await claimOne();
      await settle({ token: blocker.token, kind: "completed", output: { url: "b" } });
      expect(await claimOne({ types: ["image.publish"] })).toMatchObject({ blockers: [{ output: { url: "b" } }] });
    });

    it("is started once for an idempotency key", async () => {
      const made = await stage();
      const start = () => idOf(made, resize(1, { idempotencyKey: "one", blockers: [resize(2)] }));
      expect(await start()).toBe(await start());
      expect((await made.client.listChains()).items).toHaveLength(2);
    });

    it("needs the rights to start it and to read it, at any depth, in a start and in a next step", async () => {
      const { as, client, claimOne, settle, start } = await stage();
      const mail = { typeName: "mail.send", input: { to: "a" } };
      for (const blocker of [mail, resize(2, { blockers: [mail] })]) {
        const chains = [resize(1, { blockers: [blocker] })];
        const { status, body } = await as("images").post("/v1/chains", { chains });
        expect({ status, body }).toMatchObject({ status: 400, body: { error: { code: "unknown-job-type" } } });
      }
      expect((await client.listChains()).items).toEqual([]);
      await start();
      const { token } = await claimOne();
      const { id } = await client.startChain({ typeName: "mail.send", input: { to: "a" } });
      for (const blocker of [mail, { id, typeName: "mail.send" }]) {
        const next = { typeName: "image.publish", input: { url: "a" }, blockers: [blocker] };
        const refused = await as("images").post("/v1/exchange", { outcomes: [{ token, kind: "continued", next }] });
        expect(refused).toMatchObject({ status: 400, body: { error: { code: "unknown-job-type" } } });
      }
      // Nothing was settled.
      expect((await settle({ token, kind: "completed", output: { url: "a" } })).body).toMatchObject({
        results: [{ status: "settled" }],
      });
    });

    it("is told by its place where it is not valid", async () => {
      const { post } = await stage();
      const error = async (blocker: object) =>
        (await post("/v1/chains", { chains: [resize(1, { blockers: [blocker] })] })).body;
      const message = (text: string) => ({
        error: { code: "invalid-request", message: expect.stringContaining(text) },
      });
      expect(await error(resize(2, { priority: 0.5 }))).toEqual(message("chains.0.blockers.0.priority"));
      expect(await error({ typeName: "image.resize" })).toEqual(message("chains.0.blockers.0.input"));
      expect(await error(resize(2, { blockers: [resize(3, { tags: [] })] }))).toEqual(
        message("chains.0.blockers.0.blockers.0.tags"),
      );
    });

    it("is one of at most 1,000 starts of a request", async () => {
      const { post, client } = await stage();
      const few = Array.from({ length: 99 }, (_, at) => resize(at));
      const chains = (blockers: number) => [
        ...Array.from({ length: 9 }, () => resize(1, { blockers: few })),
        resize(1, { blockers: few.slice(0, blockers) }),
      ];
      expect(await post("/v1/chains", { chains: [...chains(99), resize(1)] })).toMatchObject({ status: 400 });
      expect((await client.listChains()).items).toEqual([]);
      expect(await post("/v1/chains", { chains: chains(99) })).toMatchObject({ status: 201 });
    });
  });

  describe("signals of a start", () => {
    it("reach the active chain with its key, or a new one", async () => {
      const made = await stage();
      const start = (by: string) =>
        idOf(made, order({ collect: { paid: 2 }, deduplication: { key: "cart" }, signals: [paid(by)] }));
      expect(await start("a")).toBe(await start("b"));
      const job = await made.claimOne({ types: ["image.order"] });
      expect(job).toMatchObject({ receivedAll: [{ payload: { by: "a" } }, { payload: { by: "b" } }] });
    });

    it("are sent once for an idempotency key, also after the end of the chain", async () => {
      const made = await stage();
      const start = () => idOf(made, order({ idempotencyKey: "one", signals: [paid("a")] }));
      const id = await start();
      expect(await start()).toBe(id);
      const job = await made.claimOne({ types: ["image.order"] });
      expect(job).toMatchObject({ receivedAll: [{ payload: { by: "a" } }] });
      await made.settle({ token: job.token, kind: "completed", output: { url: "a" } });
      expect(await start()).toBe(id);
      expect((await made.client.listChains()).items).toHaveLength(1);
      expect((await made.client.listSignals({ id })).items).toHaveLength(1);
    });

    it("are not sent with a start that another input makes invalid", async () => {
      const made = await stage();
      const chain = order({ idempotencyKey: "one", signals: [paid("a")] });
      const id = await idOf(made, chain);
      const other = { chains: [{ ...chain, input: { width: 2 }, signals: [paid("b")] }] };
      expect(await made.post("/v1/chains", other)).toMatchObject({ status: 422 });
      expect((await made.client.listSignals({ id })).items).toHaveLength(1);
    });

    it("need the right to start the type that they name", async () => {
      const { as, client } = await stage();
      const signals = [{ typeName: "mail.send", signal: "paid", payload: null }];
      expect(await as("images").post("/v1/chains", { chains: [resize(1, { signals })] })).toMatchObject({
        status: 400,
        body: { error: { code: "unknown-job-type" } },
      });
      expect((await client.listChains()).items).toEqual([]);
    });
  });

  describe("compensate in a next step", () => {
    it("undoes the step before it when the chain is cancelled", async () => {
      const made = await stage();
      const id = await idOf(made, order({ signals: [paid("a")] }));
      const { token } = await made.claimOne({ types: ["image.order"] });
      const compensate = { typeName: "image.discard", input: { url: "a" } };
      const next = { typeName: "image.publish", input: { url: "a" }, compensate };
      await made.settle({ token, kind: "continued", next });
      expect(await made.claim({ types: ["image.discard"] })).toEqual([]);
      await made.post(`/v1/chains/${id}/cancel`, {});
      expect(await made.claimOne({ types: ["image.discard"], waitMs: 20_000 })).toMatchObject({ input: { url: "a" } });
    });

    it("that is not declared is a failed attempt", async () => {
      const { start, claimOne, settle } = await stage();
      await start();
      const { token } = await claimOne();
      const compensate = { typeName: "image.discard", input: { url: "a" } };
      const next = { typeName: "image.publish", input: { url: "a" }, compensate };
      expect((await settle({ token, kind: "continued", next })).body).toMatchObject({
        results: [{ status: "settled", error: { code: "handler-result" } }],
      });
    });
  });
});
