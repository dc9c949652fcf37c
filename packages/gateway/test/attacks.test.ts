import { describe, expect, it } from "vitest";
import { createTokens } from "../src/tokens.ts";
import { onEachStore } from "./stores.ts";

async function untilParked(count: number, { parked }: { parked(): number }): Promise<void> {
  while (parked() !== count) await new Promise((resolve) => setImmediate(resolve));
}

onEachStore((stage) => {
  describe("a token", () => {
    it("is refused with any of its characters changed", async () => {
      const { start, claimOne, settle, client } = await stage();
      const id = await start();
      const { token } = await claimOne();
      for (let at = 0; at < token.length; at += 1) {
        const other = token[at] === "A" ? "B" : "A";
        const forged = token.slice(0, at) + other + token.slice(at + 1);
        const { status, body } = await settle({ token: forged, kind: "completed", output: { url: "forged" } });
        expect({ at, status, body }).toMatchObject({ status: 400, body: { error: { code: "invalid-token" } } });
      }
      expect(await client.getChain({ id })).toMatchObject({ status: "active" });
    });

    it("is refused when it is cut, joined from two, or signed by another secret", async () => {
      const { start, claimOne, settle } = await stage();
      await start();
      await start();
      const one = await claimOne();
      const two = await claimOne();
      const [payload = ""] = one.token.split(".");
      const [, mac = ""] = two.token.split(".");
      const other = createTokens(["another secret of at least 32 characters"]);
      const lease = JSON.parse(Buffer.from(payload, "base64url").toString()) as Parameters<typeof other.tokenOf>[0];
      const forged = [
        "",
        ".",
        payload,
        `${payload}.`,
        `${payload}.${mac}`,
        `.${mac}`,
        `${one.token}.${mac}`,
        other.tokenOf(lease),
      ];
      for (const token of [...forged, ...Array.from({ length: 20 }, (_, at) => one.token.slice(0, at * 12))]) {
        const { status } = await settle({ token, kind: "completed", output: { url: "forged" } });
        expect({ token, status }).toEqual({ token, status: 400 });
      }
    });

    it("is refused in another spelling of the same bytes", async () => {
      const { start, claimOne, settle } = await stage();
      await start();
      const { token } = await claimOne();
      // The last of 43 characters has two bits that mean nothing.
      const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
      const last = digits.indexOf(token.slice(-1));
      const spellings = [1, 2, 3].map((bits) => token.slice(0, -1) + digits.charAt(last ^ bits));
      for (const other of [...spellings, `${token}=`, `${token} `]) {
        const { status } = await settle({ token: other, kind: "completed", output: { url: "a" } });
        expect({ other, status }).toEqual({ other, status: 400 });
      }
    });

    it("of an earlier claim is lost, and the later one settles", async () => {
      const { start, claimOne, settle } = await stage();
      await start();
      const early = await claimOne();
      await settle({ token: early.token, kind: "returned" });
      const late = await claimOne();
      expect(await settle({ token: early.token, kind: "completed", output: { url: "a" } })).toMatchObject({
        status: 409,
      });
      expect(await settle({ token: late.token, kind: "completed", output: { url: "b" } })).toMatchObject({
        status: 200,
      });
    });

    it("is of no use to a key without the right to work on its type", async () => {
      const { start, claimOne, as } = await stage();
      await start();
      const { token } = await claimOne();
      const { status } = await as("reader").settle({ token, kind: "completed", output: { url: "a" } });
      expect(status).toBe(400);
    });

    it("of one gateway is settled by another gateway of the same store", async () => {
      const [one, other] = [await stage(), await stage()];
      const id = await one.start();
      const { token } = await one.claimOne();
      const { status } = await other.settle({ token, kind: "completed", output: { url: "a" } });
      expect(status).toBe(200);
      expect(await one.client.getChain({ id })).toMatchObject({ status: "completed" });
    });
  });

  describe("a key", () => {
    it("sees only its own types, and no other type exists for it", async () => {
      const { as, start, send, client } = await stage();
      const id = await start();
      const mail = await as("images").post("/v1/chains", { chains: [{ typeName: "mail.send", input: { to: "a" } }] });
      const none = await as("images").post("/v1/chains", { chains: [{ typeName: "no.such", input: {} }] });
      expect(
        [mail, none].map(({ status, body }) => [status, JSON.stringify(body).replace(/mail\.send|no\.such/, "x")]),
      ).toEqual([
        [400, '{"error":{"code":"unknown-job-type","message":"\\"x\\" is not a job type."}}'],
        [400, '{"error":{"code":"unknown-job-type","message":"\\"x\\" is not a job type."}}'],
      ]);
      expect((await as("reader").send("GET", `/v1/chains/${id}`)).status).toBe(404);
      expect((await as("images").post(`/v1/chains/${id}/cancel`, {})).status).toBe(403);
      expect((await send("GET", "/v1/types", undefined, { headers: { authorization: "Bearer cwk_0" } })).status).toBe(
        401,
      );
      expect((await client.listChains()).items).toHaveLength(1);
    });
  });

  describe("a client that hangs up", () => {
    it("while it waits gets no job, and the attempt of the next one is the first", async () => {
      const { gateway, start, claim, claimOne } = await stage();
      const aborting = new AbortController();
      const waiting = claim({ waitMs: 20_000 }, { signal: aborting.signal }).catch(() => "hung up");
      await untilParked(1, gateway);
      aborting.abort();
      await untilParked(0, gateway);
      await start();
      expect((await claimOne()).attempt).toBe(1);
      await waiting;
    });

    it("while the claim is under way gives the job back, and the attempt does not count", async () => {
      const { start, claim, claimOne, failures } = await stage();
      await start();
      const aborting = new AbortController();
      const waiting = claim({}, { signal: aborting.signal }).catch(() => "hung up");
      aborting.abort();
      await waiting;
      expect(await claimOne({ waitMs: 5_000 })).toMatchObject({ attempt: 1 });
      expect(failures).toEqual([]);
    });
  });

  describe("a request that is not valid", () => {
    const bodies = [
      "",
      "{",
      "null",
      "[]",
      '"\\ud800"',
      "[".repeat(5_000),
      '{"claim":{"types":["image.resize"],"limit":0,"leaseMs":1000}}',
      '{"claim":{"types":[],"limit":1,"leaseMs":1000}}',
      '{"claim":{"types":["image.resize"],"limit":1e400,"leaseMs":1000}}',
      '{"outcomes":[{"token":"a","kind":"none"}]}',
      '{"outcomes":[{"token":"a","kind":"completed"}]}',
      '{"outcomes":{"__proto__":[]}}',
      '{"__proto__":{"claim":1},"outcomes":[]}',
      '{"chains":[{"typeName":"image.resize","input":{"width":"1"}}]}',
      '{"chains":[{"typeName":"image.resize","input":{"width":1},"schedule":{"at":"tomorrow"}}]}',
      '{"chains":[{"typeName":"image.resize","input":{"width":1},"tags":{"a":"\\u0000"}}]}',
      '{"chains":[{"typeName":"\\u0001","input":1}]}',
    ];

    it.each(["/v1/exchange", "/v1/chains", "/v1/leases"])(
      "to %s is told so, and none of them is an internal error",
      async (path) => {
        const { send, failures } = await stage();
        for (const body of bodies) {
          const { status } = await send("POST", path, body);
          expect({ body: body.slice(0, 80), status: Math.floor(status / 100) }).toEqual({
            body: body.slice(0, 80),
            status: 4,
          });
        }
        expect(failures).toEqual([]);
      },
    );

    it("is refused before it is read if it is too large, and without JSON", async () => {
      const { send, failures } = await stage({ limits: { bodyBytes: 1_000 } });
      expect((await send("POST", "/v1/exchange", " ".repeat(2_000))).status).toBe(413);
      expect((await send("POST", "/v1/exchange", "{}", { headers: { "content-type": "text/plain" } })).status).toBe(
        415,
      );
      expect((await send("DELETE", "/v1/exchange")).status).toBe(404);
      expect(failures).toEqual([]);
    });

    it("waits only where a place is free", async () => {
      const { claim, gateway, post } = await stage({ limits: { parkedPerKey: 1 } });
      const waiting = claim({ waitMs: 20_000 });
      await untilParked(1, gateway);
      const asked = { types: ["image.resize"], limit: 1, leaseMs: 1_000, waitMs: 100 };
      const refused = await post("/v1/exchange", { claim: asked });
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
      await gateway.close();
      await waiting;
    });
  });
});
