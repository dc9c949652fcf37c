import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withFreshDatabase } from "@chainwright/backends/fresh-database";
import { startProgram } from "@chainwright/backends/start-program";
import { describeOn, findBackend } from "@chainwright/backends/vitest";
import { describe, expect, it } from "vitest";
import type { ClaimedJob } from "./stage.ts";

const program = new URL("./gateway-process.ts", import.meta.url);
const postgresUrl = await findBackend("postgres");
const secrets = { KEY: "cwk_of_this_test", TOKEN_SECRET: "a secret of the gateway, 32 characters and more" };
/** The one ends before the test does, the other does not. */
const [shortMs, longMs] = [1_000, 600_000];

interface ExchangeReply {
  readonly results: readonly object[];
  readonly jobs: readonly ClaimedJob[];
}

/** A gateway in a process of its own, with calls to it. */
async function startGateway(store: string, diesAt: "claim" | "settle" | "never") {
  const running = await startProgram(program, { ...secrets, STORE: store, DIES_AT: diesAt });
  const call = async (path: string, body?: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${secrets.KEY}`, "content-type": "application/json" };
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(running.firstLine + path, { headers, ...sent });
    return await response.json();
  };
  return {
    stop: () => running.stop("SIGKILL"),
    async start(): Promise<string> {
      const reply = await call("/v1/chains", { chains: [{ typeName: "image.resize", input: { width: 1 } }] });
      return (reply as { readonly chains: readonly [{ readonly id: string }] }).chains[0].id;
    },
    claim: async (leaseMs: number, waitMs = 0) =>
      (await call("/v1/exchange", {
        claim: { types: ["image.resize"], limit: 1, leaseMs, waitMs },
      })) as ExchangeReply,
    settle: async (...outcomes: readonly object[]) => (await call("/v1/exchange", { outcomes })) as ExchangeReply,
    read: async (id: string) => await call(`/v1/chains/${id}`),
  };
}

function killsOn(withStore: (run: (store: string) => Promise<void>) => Promise<void>): void {
  it("killed after its claim is committed and before the response loses no job: it comes again as the next attempt", async () => {
    await withStore(async (store) => {
      const dying = await startGateway(store, "claim");
      const id = await dying.start();
      await expect(dying.claim(shortMs)).rejects.toThrow("fetch failed");
      const other = await startGateway(store, "never");
      try {
        const [job] = (await other.claim(longMs, 30_000)).jobs;
        expect(job).toMatchObject({ id, attempt: 2 });
        const outcome = { token: job?.token, kind: "completed", output: { url: "a" } };
        expect((await other.settle(outcome)).results).toEqual([{ status: "settled" }]);
        expect(await other.read(id)).toMatchObject({ status: "completed" });
      } finally {
        await other.stop();
      }
    });
  });

  it("killed after outcomes are committed and before the response applies none twice: the next gateway reports them as lost", async () => {
    await withStore(async (store) => {
      const first = await startGateway(store, "never");
      const ids = [await first.start(), await first.start()];
      const jobs = [...(await first.claim(longMs)).jobs, ...(await first.claim(longMs)).jobs];
      await first.stop();
      const [one, two] = jobs;
      const outcomes = [
        { token: one?.token, kind: "completed", output: { url: "once" } },
        { token: two?.token, kind: "failed", error: { message: "no" }, fatal: true },
      ];
      const dying = await startGateway(store, "settle");
      await expect(dying.settle(...outcomes)).rejects.toThrow("fetch failed");
      const other = await startGateway(store, "never");
      try {
        const again = await other.settle(...outcomes);
        expect(again.results).toEqual([1, 2].map(() => ({ status: "lost", reason: "completed-elsewhere" })));
        expect(await other.read(ids[0] ?? "")).toMatchObject({ status: "completed", output: { url: "once" } });
        expect(await other.read(ids[1] ?? "")).toMatchObject({ status: "failed", error: { message: "no" } });
        expect((await other.claim(longMs)).jobs).toEqual([]);
      } finally {
        await other.stop();
      }
    });
  });
}

describe("a gateway on SQLite", () => {
  killsOn(async (run) => {
    const folder = await mkdtemp(join(tmpdir(), "chainwright-gateway-"));
    try {
      await run(join(folder, "jobs.db"));
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describeOn("a gateway on Postgres", postgresUrl, (server) => {
  killsOn((run) => withFreshDatabase(server, run));
});
