import { describe, expect, it } from "vitest";
import { onEachStore } from "./stores.ts";

onEachStore((stage) => {
  describe("the routes of a gateway", () => {
    it("start a chain, hand out its job, settle it, and show the end", async () => {
      const { post, send, claimOne, settle } = await stage();
      const started = await post("/v1/chains", { chains: [{ typeName: "image.resize", input: { width: 640 } }] });
      expect(started).toMatchObject({ status: 201, body: { chains: [{ status: "active", deduplicated: false }] } });
      const job = await claimOne();
      expect(job).toMatchObject({ attempt: 1, input: { width: 640 }, step: 1, blockers: [], lastError: null });
      const done = await settle({ token: job.token, kind: "completed", output: { url: "s3://1" } });
      expect(done).toMatchObject({ status: 200, body: { results: [{ status: "settled" }], jobs: [] } });
      const read = await send("GET", `/v1/chains/${job.id}`);
      expect(read).toMatchObject({ status: 200, body: { status: "completed", output: { url: "s3://1" } } });
    });

    it("wait for the end of a chain, and report a failure as a value", async () => {
      const { start, send, claimOne, settle } = await stage();
      const id = await start();
      const waiting = send("GET", `/v1/chains/${id}?waitMs=20000`);
      const { token } = await claimOne();
      const error = { name: "TimeoutError", message: "upstream" };
      await settle({ token, kind: "failed", error, fatal: true });
      expect(await waiting).toMatchObject({ status: 200, body: { status: "failed", error: { message: "upstream" } } });
    });

    it("name the same chain for the same idempotency key, and refuse another input", async () => {
      const { post } = await stage();
      const headers = { "idempotency-key": "order-1042" };
      const body = { chains: [{ typeName: "image.resize", input: { width: 1 } }] };
      const first = await post("/v1/chains", body, { headers });
      const again = await post("/v1/chains", body, { headers });
      expect([first.status, again.status]).toEqual([201, 200]);
      expect(again.body).toMatchObject({ chains: [{ deduplicated: true }] });
      const other = { chains: [{ typeName: "image.resize", input: { width: 2 } }] };
      expect(await post("/v1/chains", other, { headers })).toMatchObject({
        status: 422,
        body: { error: { code: "idempotency-mismatch" } },
      });
    });

    it("start nothing of a batch in which one key was used for another input", async () => {
      const { post, client } = await stage();
      const item = (width: number, idempotencyKey: string) => ({
        typeName: "image.resize",
        input: { width },
        idempotencyKey,
      });
      await post("/v1/chains", { chains: [item(1, "a")] });
      const mixed = await post("/v1/chains", { chains: [item(5, "b"), item(2, "a")] });
      expect(mixed).toMatchObject({ status: 422, body: { error: { details: { index: 1 } } } });
      expect((await client.listChains()).items).toHaveLength(1);
    });

    it("report an outcome that comes twice as lost, with 409 for clients that see the status only", async () => {
      const { start, claimOne, settle } = await stage();
      await start();
      const { token } = await claimOne();
      const outcome = { token, kind: "completed", output: { url: "a" } };
      await settle(outcome);
      expect(await settle(outcome)).toMatchObject({
        status: 409,
        body: { results: [{ status: "lost", reason: "completed-elsewhere" }] },
      });
    });

    it("record a result that does not fit its schema as a failed attempt, in words with the path", async () => {
      const { start, client, claimOne, settle } = await stage();
      const id = await start();
      const { token } = await claimOne();
      const { body } = await settle({ token, kind: "completed", output: { url: 5 } });
      expect(body).toMatchObject({ results: [{ status: "settled", error: { code: "handler-result" } }] });
      const job = await client.getJob({ id });
      expect(job).toMatchObject({ attempt: 1 });
      expect(job?.lastError?.message).toContain("url");
    });

    it("fail a chain when the attempts of the gateway's policy are used, whatever the worker says", async () => {
      const { start, send, claimOne, settle } = await stage();
      const id = await start();
      for (const attempt of [1, 2, 3]) {
        expect(await send("GET", `/v1/chains/${id}`)).toMatchObject({ body: { status: "active" } });
        const job = await claimOne({ waitMs: 20_000 });
        expect(job.attempt).toBe(attempt);
        await settle({ token: job.token, kind: "failed", error: { message: `no ${attempt}` }, fatal: false });
      }
      const { body } = await send("GET", `/v1/chains/${id}`);
      expect(body).toMatchObject({ status: "failed", error: { message: "no 3" } });
    });

    it("continue a chain, and refuse a next step that is not declared", async () => {
      const { start, claimOne, settle } = await stage();
      await start();
      const first = await claimOne();
      const wrong = { typeName: "mail.send", input: { to: "a" } };
      const { body } = await settle({ token: first.token, kind: "continued", next: wrong });
      expect(body).toMatchObject({ results: [{ status: "settled", error: { code: "handler-result" } }] });
      const again = await claimOne({ waitMs: 5_000 });
      await settle({ token: again.token, kind: "continued", next: { typeName: "image.publish", input: { url: "a" } } });
      expect(await claimOne({ types: ["image.publish"] })).toMatchObject({ step: 2, input: { url: "a" } });
    });

    it("extend leases and report lost ones", async () => {
      const { start, client, claimOne, post } = await stage();
      const id = await start();
      const { token } = await claimOne();
      expect((await post("/v1/leases", { jobs: [{ token, leaseMs: 30_000 }] })).body).toEqual({ lost: [], renewed: 1 });
      await client.cancelChain({ id });
      expect((await post("/v1/leases", { jobs: [{ token, leaseMs: 30_000 }] })).body).toEqual({
        lost: [{ token, reason: "cancelled" }],
        renewed: 0,
      });
    });

    it("cancel, retry and trigger, and tell the audit", async () => {
      const { start, post, audited } = await stage();
      const id = await start(1, { schedule: { afterMs: 60_000 } });
      expect((await post(`/v1/chains/${id}/trigger`, {})).status).toBe(200);
      expect((await post(`/v1/chains/${id}/cancel`, { reason: "no more" })).body).toEqual({ id, cancelled: [id] });
      expect((await post(`/v1/chains/${id}/cancel`, {})).status).toBe(409);
      expect((await post(`/v1/chains/${id}/retry`, {})).status).toBe(200);
      expect(audited.map(({ action, key }) => `${key} ${action}`)).toEqual([
        "owner trigger",
        "owner cancel",
        "owner cancel",
        "owner retry",
      ]);
    });

    it("list the types that a key may see, with JSON Schemas", async () => {
      const { as } = await stage();
      expect((await as("reader").send("GET", "/v1/types")).body).toMatchObject({
        types: [{ name: "mail.send", entry: true, elsewhere: false, verbs: ["read"], input: { type: "object" } }],
      });
    });

    it("serve the OpenAPI document and the health without a key", async () => {
      const { gateway } = await stage();
      const health = await gateway.fetch(new Request("http://gateway.test/healthz"));
      expect(health.status).toBe(200);
      const document = await gateway.fetch(new Request("http://gateway.test/openapi.json"));
      expect(await document.json()).toMatchObject({ openapi: "3.1.0" });
    });

    it("return 503 with Retry-After after the end, and end waiting requests without jobs", async () => {
      const { gateway, claim, send } = await stage();
      const waiting = claim({ waitMs: 20_000 });
      while (gateway.parked() === 0) await new Promise((resolve) => setImmediate(resolve));
      await gateway.close();
      expect(await waiting).toEqual([]);
      const late = await send("GET", "/v1/types");
      expect([late.status, late.headers.get("retry-after")]).toEqual([503, "1"]);
    });
  });
});
