import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withFreshDatabase } from "@chainwright/backends/fresh-database";
import { startProgram } from "@chainwright/backends/start-program";
import { describeOn, findBackend } from "@chainwright/backends/vitest";
import { describe, expect, it } from "vitest";
import { workerDocument } from "../src/document.ts";
import { openClient } from "../src/store.ts";
import { attemptsOf } from "./attempts.ts";
import { createFleet } from "./fleet.ts";
import { checkPython, missing, prepareGo, preparePython } from "./toolchains.ts";

const program = new URL("../src/gateway.ts", import.meta.url);
const postgresUrl = await findBackend("postgres");
const withoutPython = await missing("python3", ["-c", "import venv, ensurepip"]);
const withoutGo = await missing("go", ["version"]);

const chains = 300;
const slots = 4;
const replacements = 7;
const limit = 240_000;

/** Each fifth text fails once, and each tenth takes longer than a worker waits when it stops. */
const inputs = Array.from({ length: chains }, (_, at) => ({
  text: `${"word ".repeat(at % 7)}end`,
  failures: at % 5 === 0 ? 1 : 0,
  ms: at % 10 === 3 ? 400 : 10,
}));

interface Caller {
  readonly url: string;
  readonly key: string;
}

async function call({ url, key }: Caller, path: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(`${url}${path}`, { headers, ...sent });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return await response.json();
}

async function startChains(caller: Caller): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let at = 0; at < chains; at += 100) {
    const items = inputs.slice(at, at + 100).map((input, index) => ({
      typeName: "text.count",
      input,
      idempotencyKey: `text-${at + index}`,
    }));
    const reply = (await call(caller, "/v1/chains", { chains: items })) as { chains: readonly { id: string }[] };
    ids.push(...reply.chains.map(({ id }) => id));
  }
  return ids;
}

async function untilEnded(caller: Caller, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const read = async () => (await call(caller, `/v1/chains/${id}?waitMs=20000`)) as { readonly status: string };
    while ((await read()).status === "active");
  }
}

/** Runs all chains with processes that are killed and stopped in turn, and a gateway that is killed once. */
async function workThrough(store: string) {
  const [python, go] = await Promise.all([preparePython(), prepareGo()]);
  const key = `cwk_${randomBytes(32).toString("hex")}`;
  const settings = { STORE: store, GATEWAY_KEY: key, TOKEN_SECRET: randomBytes(32).toString("hex") };
  const first = await startProgram(program, { ...settings, PORT: "0" });
  const gateways = [first];
  const { firstLine: url } = first;
  const caller = { url, key };
  const fleet = createFleet({ GATEWAY_URL: url, GATEWAY_KEY: key, LEASE_MS: "3000", GRACE_MS: "50" });
  try {
    const ids = await startChains(caller);
    for (const worker of [python, python, go, go]) fleet.add(worker);
    await fleet.untilSettled(chains * 0.2);
    await fleet.replace(python, "SIGKILL");
    await fleet.replace(go, "SIGTERM");
    await fleet.untilSettled(chains * 0.5);
    await first.stop("SIGKILL");
    gateways.push(await startProgram(program, { ...settings, PORT: new URL(url).port }));
    await fleet.untilSettled(chains * 0.8);
    await fleet.replace(python, "SIGTERM");
    await fleet.replace(go, "SIGKILL");
    await fleet.untilSettled(chains * 1.2);
    await fleet.replace(python, "SIGKILL");
    await fleet.replace(python, "SIGTERM");
    await fleet.replace(go, "SIGTERM");
    await Promise.race([untilEnded(caller, ids), fleet.untilSettled(Infinity)]);
  } finally {
    await fleet.stop();
    for (const gateway of gateways) await gateway.stop();
  }
  // What the client reports of failed attempts is wanted; failures of the gateway itself are not.
  expect(gateways.map((each) => each.errors()).join("")).not.toContain("chainwright gateway:");
  return fleet;
}

async function expectEachOnce(store: string): Promise<void> {
  const fleet = await workThrough(store);
  const { client, close } = await openClient(store);
  try {
    const { items } = await client.listChains({ limit: chains + 1 });
    const lines = inputs.map(({ text }) => `${text.split(" ").length} words in ${JSON.stringify(text)}`);
    const printed = items.map((chain) => (chain.status === "completed" ? JSON.stringify(chain.output) : chain.status));
    expect(printed.sort()).toEqual(lines.map((line) => JSON.stringify({ line })).sort());
    const jobs = [];
    for (const { id } of items) jobs.push(...(await client.listChainJobs({ id })).items);
    expect(jobs).toHaveLength(2 * chains);
    const { wrong, failed, lost, unexplained } = attemptsOf(jobs, fleet);
    expect(wrong).toEqual([]);
    expect(failed).toBeLessThanOrEqual(inputs.filter(({ failures }) => failures > 0).length);
    expect(failed + lost + unexplained).toBe(jobs.reduce((sum, { attempt }) => sum + attempt - 1, 0));
    // What was under way to the four workers when the gateway was killed, and to each worker when it was replaced.
    expect(unexplained).toBeLessThanOrEqual(slots * (4 + replacements));
  } finally {
    await close();
  }
}

const left = [withoutPython, withoutGo].filter((reason) => reason !== undefined);
const fleetTitle = "workers in Python and Go, killed and stopped in turn, with a gateway that is killed";
const title = left.length === 0 ? fleetTitle : `${fleetTitle}, are left out: ${left.join("; ")}`;

it("the client of the Go worker is made from the document that the gateway serves", async () => {
  const { digest } = await workerDocument();
  const code = await readFile(new URL("../go/gateway/gateway.gen.go", import.meta.url), "utf8");
  expect(code.includes(digest), "make it again: npm run --prefix examples/workers generate").toBe(true);
});

describe.skipIf(left.length > 0)(title, () => {
  it("have types in which mypy finds no error", async () => {
    await checkPython(await preparePython());
  }, 300_000);

  it(
    "end each chain once on SQLite, and the attempts add up",
    async () => {
      const folder = await mkdtemp(join(tmpdir(), "chainwright-workers-"));
      try {
        await expectEachOnce(join(folder, "texts.db"));
      } finally {
        await rm(folder, { recursive: true });
      }
    },
    limit,
  );

  describeOn("on Postgres", postgresUrl, (server) => {
    it(
      "end each chain once, and the attempts add up",
      async () => {
        await withFreshDatabase(server, expectEachOnce);
      },
      limit,
    );
  });
});
