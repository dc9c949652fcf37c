import { once } from "node:events";
import { connect, type AddressInfo, type Socket } from "node:net";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { createNodeServer, type NodeServerLimits } from "../src/node.ts";
import type { Stage } from "./stage.ts";
import { onEachStore } from "./stores.ts";

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function serve({ gateway }: Stage, limits: NodeServerLimits) {
  const server = createNodeServer(gateway, limits);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  ends.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return { port, count: promisify(server.getConnections.bind(server)) };
}

/** A client that may send anything. */
function attack(port: number, text = "") {
  const socket: Socket = connect({ port, host: "127.0.0.1" });
  let said = "";
  socket.setEncoding("utf8").on("data", (more: string) => (said += more));
  socket.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  ends.push(async () => void socket.destroy());
  if (text !== "") socket.write(text);
  return {
    socket,
    /** The status with which the server closed the connection; "" without one. */
    verdict: async (): Promise<string> => {
      await closed;
      return said.split(" ")[1] ?? "";
    },
    statuses: () => Array.from(said.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status ?? ""),
    /** Sends a text again and again, each time that the last one has left, until the server closes. */
    trickle: (piece: string): void => {
      const next = (): void => void (socket.destroyed || socket.write(piece, () => setImmediate(next)));
      next();
    },
  };
}

/** Who still sends when it is cut may not read the answer. */
const orCut = (status: string) => expect.toBeOneOf([status, ""]) as unknown;

const line = "POST /v1/exchange HTTP/1.1\r\nhost: a\r\n";
const headOf = (secret: string): string =>
  `${line}authorization: Bearer ${secret}\r\ncontent-type: application/json\r\n`;

/** Sends a request over a connection of its own until it gets one of the places that attackers leave. */
async function insist(port: number, secret: string, path: string, body: object): Promise<Record<string, unknown>> {
  for (;;) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json", connection: "close" },
        body: JSON.stringify(body),
      });
      // A busy machine may be as late as an attacker; nothing of such a request was read.
      if (response.status === 408) continue;
      expect(response.status).toBeLessThan(300);
      return (await response.json()) as Record<string, unknown>;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }
}

describe("the limits of a server", () => {
  it.each([{ headMs: 0 }, { connections: 1.5 }, { idleMs: Number.NaN }, { headBytes: -1 }, { seconds: 3 }])(
    "are checked: %o",
    (limits) => {
      expect(() => createNodeServer({} as Stage["gateway"], limits)).toThrow(
        expect.objectContaining({ code: "invalid-input" }),
      );
    },
  );
});

onEachStore((stage) => {
  it("answers 431 to a head over its limit, in one header, in many, and in the address", async () => {
    const made = await stage();
    const { port } = await serve(made, { headBytes: 2_000 });
    const heads = [`${line}a: ${"x".repeat(3_000)}`, `${line}${"a: b\r\n".repeat(1_000)}`, `GET /${"x".repeat(3_000)}`];
    const verdicts = heads.map((head) => attack(port, head).verdict());
    expect(await Promise.all(verdicts)).toEqual(["431", "431", "431"]);
    expect(made.failures).toEqual([]);
  });

  it("answers 408 to a head that stops, that trickles, or that never begins", async () => {
    const made = await stage();
    const { port } = await serve(made, { headMs: 40 });
    const [stops, trickles, silent] = [attack(port, line), attack(port, line), attack(port)];
    trickles.trickle("a");
    expect(await Promise.all([stops, trickles, silent].map((each) => each.verdict()))).toEqual([
      "408",
      orCut("408"),
      "408",
    ]);
    expect(made.failures).toEqual([]);
  });

  it("answers 408 to a second head that stops, after it answered the first request", async () => {
    const made = await stage();
    const { port } = await serve(made, { headMs: 40 });
    const answers = async (): Promise<readonly string[]> => {
      const { verdict, statuses } = attack(port, `GET /openapi.json HTTP/1.1\r\nhost: a\r\n\r\n${line}`);
      await verdict();
      return statuses();
    };
    let got = await answers();
    // On a busy machine the first head may be late as well.
    while (got[0] === "408") got = await answers();
    expect(got).toEqual(["200", "408"]);
  });

  it("answers 408 to a body that trickles, however often a byte of it arrives, and 413 to one without an end", async () => {
    const made = await stage({ limits: { bodyMs: 40 } });
    const { port } = await serve(made, {});
    const slow = attack(port, `${headOf(made.secrets.owner)}content-length: 1000000\r\n\r\n`);
    slow.trickle(" ");
    expect(await slow.verdict()).toEqual(orCut("408"));
    const small = await stage({ limits: { bodyBytes: 5_000 } });
    const endless = attack(
      (await serve(small, {})).port,
      `${headOf(small.secrets.owner)}transfer-encoding: chunked\r\n\r\n`,
    );
    endless.trickle(`64\r\n${" ".repeat(100)}\r\n`);
    expect(await endless.verdict()).toEqual(orCut("413"));
    expect([...made.failures, ...small.failures]).toEqual([]);
  });

  it("cuts connections that it has no place for, and those that stay between two requests", async () => {
    const made = await stage();
    const { port, count } = await serve(made, { connections: 20, keepAliveMs: 1 });
    const held = Array.from({ length: 20 }, () => attack(port, line));
    while ((await count()) < held.length) await new Promise((resolve) => setImmediate(resolve));
    expect(await Promise.all(Array.from({ length: 30 }, () => attack(port, line).verdict()))).toEqual(
      Array.from({ length: 30 }, () => ""),
    );
    expect(held.every(({ socket }) => !socket.destroyed)).toBe(true);
    for (const { socket } of held) socket.destroy();
    while ((await count()) > 0) await new Promise((resolve) => setImmediate(resolve));
    const idle = attack(port, "GET /openapi.json HTTP/1.1\r\nhost: a\r\n\r\n");
    expect(await idle.verdict()).toBe("200");
  });

  it("cuts a client that waits and on whose connection nothing moves, and gives no job to it", async () => {
    const made = await stage();
    const { port } = await serve(made, { idleMs: 40 });
    const body = JSON.stringify({ claim: { types: ["image.resize"], limit: 1, leaseMs: 30_000, waitMs: 30_000 } });
    const waiting = attack(port, `${headOf(made.secrets.owner)}content-length: ${body.length}\r\n\r\n${body}`);
    expect(await waiting.verdict()).toBe("");
    while (made.gateway.parked() > 0) await new Promise((resolve) => setImmediate(resolve));
    await made.start();
    expect(await made.claimOne()).toMatchObject({ attempt: 1 });
  });

  it("loses nothing and runs nothing twice while attackers take all of its connections again and again", async () => {
    const made = await stage({ limits: { bodyMs: 100 } });
    const { port } = await serve(made, { headMs: 100, connections: 8 });
    const attackers = new AbortController();
    const shapes = [
      line,
      "",
      `${headOf(made.secrets.owner)}content-length: 99\r\n\r\n{`,
      `${line}a: ${"x".repeat(20_000)}`,
    ];
    const siege = shapes.flatMap((shape) =>
      [1, 2, 3].map(async () => {
        while (!attackers.signal.aborted) await attack(port, shape).verdict();
      }),
    );
    const ids = await Promise.all(
      Array.from({ length: 10 }, async (_, width) => {
        const chains = [{ typeName: "image.resize", input: { width }, idempotencyKey: `order-${width}` }];
        const { chains: started } = await insist(port, made.secrets.owner, "/v1/chains", { chains });
        return (started as readonly { readonly id: string }[])[0]?.id ?? "";
      }),
    );
    const done: unknown[] = [];
    while (done.length < ids.length) {
      const claim = { types: ["image.resize"], limit: 4, leaseMs: 30_000 };
      const { jobs } = await insist(port, made.secrets.owner, "/v1/exchange", { claim });
      for (const { token, chainId, attempt } of jobs as readonly Record<string, unknown>[]) {
        const outcomes = [{ token, kind: "completed", output: { url: "done" } }];
        const { results } = await insist(port, made.secrets.owner, "/v1/exchange", { outcomes });
        done.push({ chainId, attempt, results });
      }
    }
    attackers.abort();
    await Promise.all(siege);
    const told = ids.map((chainId) => ({ chainId, attempt: 1, results: [{ status: "settled" }] }));
    expect(done).toHaveLength(ids.length);
    expect(done).toEqual(expect.arrayContaining(told));
    expect(made.failures).toEqual([]);
  });
});
