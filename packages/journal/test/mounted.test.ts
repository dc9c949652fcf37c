import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDashboard } from "@chainwright/dashboard";
import { createGateway, createGatewayKey } from "@chainwright/gateway";
import { createClient, defineJobTypes } from "chainwright";
import { expect, it, onTestFinished } from "vitest";
import { createJournalStateAdapter } from "../src/index.ts";

const jobTypes = defineJobTypes<{
  "image.resize": { entry: true; elsewhere: true; input: { width: number }; output: { url: string } };
}>();
const key = createGatewayKey({ name: "owner", scopes: [{ types: ["*"], verbs: ["start", "work", "read", "admin"] }] });
const tokenSecrets = ["a secret of the gateway, 32 characters and more"];

/** A program with the dashboard and the gateway on a folder. */
async function open(folder: string) {
  const stateAdapter = await createJournalStateAdapter({ folder });
  const client = createClient({ stateAdapter, jobTypes, observers: [] });
  const dashboard = createDashboard({ client, authorize: () => ({ role: "admin", name: "Ada" }) });
  const gateway = createGateway({ client, keys: [key.key], tokenSecrets });
  const read = async (response: Response) => {
    expect(response.status).toBe(200);
    return (await response.json()) as Readonly<Record<string, unknown>>;
  };
  const post = async (path: string, body: object) =>
    await gateway.fetch(
      new Request(`http://gateway.test${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${key.secret}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
  return {
    start: async (width: number): Promise<string> => {
      const started = await post("/v1/chains", { chains: [{ typeName: "image.resize", input: { width } }] });
      const { chains } = (await started.json()) as { readonly chains: readonly { readonly id: string }[] };
      return chains[0]?.id ?? "";
    },
    exchange: async (body: object) => await read(await post("/v1/exchange", body)),
    settle: async (outcome: object): Promise<number> => (await post("/v1/exchange", { outcomes: [outcome] })).status,
    shown: async (path: string) => await read(await dashboard.fetch(new Request(`http://localhost/-/${path}`))),
    close: async () => {
      await gateway.close();
      await client.close();
      await stateAdapter.close();
    },
  };
}

const claim = { types: ["image.resize"], limit: 10, leaseMs: 30_000 };

interface Claimed {
  readonly token: string;
  readonly attempt: number;
  readonly input: unknown;
}

const jobsIn = (reply: Readonly<Record<string, unknown>>) => reply["jobs"] as readonly Claimed[];

it("the dashboard and the gateway of a program go on where those of the last one ended", async () => {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-mounted-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const first = await open(folder);
  const [done, held] = [await first.start(1), await first.start(2)];
  const jobs = jobsIn(await first.exchange({ claim }));
  expect(jobs.map(({ input }) => input)).toEqual([{ width: 1 }, { width: 2 }]);
  const settled = { token: jobs[0]?.token, kind: "completed", output: { url: "/1" } };
  expect(await first.exchange({ outcomes: [settled] })).toMatchObject({ results: [{ status: "settled" }] });
  const before = await first.shown("chains");
  await first.close();

  const second = await open(folder);
  const late = { token: jobs[1]?.token, kind: "completed", output: { url: "/late" } };
  // The lease has ended with the process that granted it.
  expect(await second.settle(late)).toBe(409);
  const [again, ...others] = jobsIn(await second.exchange({ claim }));
  expect({ again, others }).toMatchObject({ again: { attempt: 2, input: { width: 2 } }, others: [] });
  const outcome = { token: again?.token, kind: "completed", output: { url: "/2" } };
  expect(await second.exchange({ outcomes: [outcome] })).toMatchObject({ results: [{ status: "settled" }] });
  expect(JSON.stringify(before)).toContain(done);
  const after = JSON.stringify(await second.shown("chains"));
  for (const id of [done, held]) expect(after).toContain(id);
  expect(after).not.toContain('"status":"active"');
  await second.close();
});
