import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { StateAdapter } from "chainwright/adapter";
import { describe, expect, it } from "vitest";
import { serve } from "./serve.ts";
import { onEachStore } from "./stores.ts";

/** Holds the reply of the next exchange that claims a job back, after the store has committed it. */
function holdingReplies() {
  const claimed = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const wrap = (adapter: StateAdapter): StateAdapter => ({
    ...adapter,
    async exchange(...args) {
      const reply = await adapter.exchange(...args);
      if (reply.claimed.length === 0) return reply;
      claimed.resolve();
      await release.promise;
      return reply;
    },
  });
  return { wrap, claimed: claimed.promise, release: release.resolve };
}

async function ask(port: number, secret: string): Promise<Socket> {
  const body = JSON.stringify({ claim: { types: ["image.resize"], limit: 1, leaseMs: 30_000, waitMs: 20_000 } });
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  await once(socket, "connect");
  socket.write(
    `POST /v1/exchange HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${secret}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

onEachStore((stage) => {
  describe("a client that hangs up", () => {
    it.each(["destroy", "end"] as const)(
      "by %s after its claim is committed gives the job back, and the attempt of the next one is the first",
      async (how) => {
        const { wrap, claimed, release } = holdingReplies();
        const made = await stage({ wrap });
        const server = await serve(made);
        try {
          const id = await made.start();
          const socket = await ask(server.port, made.secrets.owner);
          await claimed;
          socket[how]();
          socket.resume();
          await server.untilNoConnection();
          release();
          const next = await made.claimOne({ waitMs: 20_000 });
          expect(next).toMatchObject({ id, attempt: 1 });
          const outcome = { token: next.token, kind: "completed", output: { url: "a" } };
          expect((await made.settle(outcome)).body).toMatchObject({ results: [{ status: "settled" }] });
          expect(made.failures).toEqual([]);
        } finally {
          await server.close();
        }
      },
    );

    it("before its claimed job is dealt out gives it back, and the attempt of the next one is the first", async () => {
      const { wrap, claimed, release } = holdingReplies();
      const made = await stage({ wrap });
      await made.start();
      const aborting = new AbortController();
      const waiting = made.claim({ waitMs: 20_000 }, { signal: aborting.signal });
      await claimed;
      aborting.abort();
      release();
      expect(await waiting).toEqual([]);
      expect(await made.claimOne({ waitMs: 10_000 })).toMatchObject({ attempt: 1 });
    });

    it("after it has read its job keeps the lease: no one else gets the job, and its token settles", async () => {
      const made = await stage();
      const server = await serve(made);
      try {
        await made.start();
        const socket = await ask(server.port, made.secrets.owner);
        const token = await tokenIn(socket);
        socket.destroy();
        await server.untilNoConnection();
        expect(await made.claim()).toEqual([]);
        const outcome = { token, kind: "completed", output: { url: "a" } };
        expect((await made.settle(outcome)).body).toMatchObject({ results: [{ status: "settled" }] });
      } finally {
        await server.close();
      }
    });

    it("whose job was given back cannot settle it with the token of that claim", async () => {
      const made = await stage();
      await made.start();
      const held = await made.claimOne();
      await made.settle({ token: held.token, kind: "returned" });
      const next = await made.claimOne();
      expect([held.attempt, next.attempt]).toEqual([1, 1]);
      for (const kind of ["returned", "completed"] as const) {
        const late = { token: held.token, kind, ...(kind === "completed" && { output: { url: "late" } }) };
        expect((await made.settle(late)).body).toMatchObject({ results: [{ status: "lost" }] });
      }
      const outcome = { token: next.token, kind: "completed", output: { url: "a" } };
      expect((await made.settle(outcome)).body).toMatchObject({ results: [{ status: "settled" }] });
    });
  });
});

async function tokenIn(socket: Socket): Promise<string> {
  let text = "";
  for await (const chunk of socket) {
    text += String(chunk);
    const [, token] = /"token":"([^"]+)"/.exec(text) ?? [];
    if (token !== undefined) return token;
  }
  throw new Error(`a job was expected; got ${text}`);
}
