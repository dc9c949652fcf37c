import { mkdtempSync, rmSync } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { nodeSqlite } from "@chainwright/sqlite/node-sqlite";
import { findBackend } from "@chainwright/backends/vitest";
import { createPostgresStateAdapter } from "@chainwright/postgres";
import { pg } from "@chainwright/postgres/pg";
import { createClient, defineJobTypes } from "chainwright";
import { Pool } from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { run } from "../src/cli/run.ts";
import { serve } from "../src/cli/serve.ts";
import { createStage } from "./stage.ts";

const folder = mkdtempSync(join(tmpdir(), "chainwright-dashboard-cli-"));
afterAll(() => rmSync(folder, { recursive: true }));

const postgresUrl = await findBackend("postgres");
const jobTypes = defineJobTypes<{ "mail.send": { entry: true; input: { to: string }; output: null } }>();

/** Runs the program until `use` has finished with the printed link. */
async function program(args: readonly string[], use: (link: URL) => Promise<void>, env: NodeJS.ProcessEnv = {}) {
  const printed: string[] = [];
  const complaints: string[] = [];
  const code = await run({
    args,
    env,
    print: (text) => void printed.push(text),
    complain: (text) => void complaints.push(text),
    untilStopped: async () => await use(new URL(/http:\S+/.exec(printed.join("\n"))?.[0] ?? "")),
  });
  return { code, printed: printed.join("\n"), complaints: complaints.join("\n") };
}

/** Opens a link like a browser, and returns the received cookie. */
async function signIn(link: URL | string): Promise<string> {
  const response = await fetch(link, { redirect: "manual" });
  expect(response.status).toBe(303);
  expect(response.headers.get("set-cookie")).toMatch(/; HttpOnly; SameSite=Strict$/);
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

/** Sends a request exactly as written; a browser would normalise it. */
function raw(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: "127.0.0.1", port, path, headers }, (response: IncomingMessage) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode));
    });
    request.once("error", reject);
    request.end();
  });
}

describe("the program", () => {
  it("serves the given SQLite file", async () => {
    const file = join(folder, "jobs.db");
    const stateAdapter = createSqliteStateAdapter({ driver: nodeSqlite(file) });
    await stateAdapter.migrate();
    const client = createClient({ stateAdapter, jobTypes });
    const { id } = await client.startChain({ typeName: "mail.send", input: { to: "a" } });
    const { code } = await program(["--sqlite", file, "--redact", "to"], async (link) => {
      const cookie = await signIn(link);
      const response = await fetch(new URL(`/-/job?id=${id}`, link), { headers: { cookie } });
      expect(await response.json()).toMatchObject({ job: { id, input: { value: { to: "[redacted]" } } } });
    });
    expect(code).toBe(0);
    await client.close();
    await stateAdapter.close();
  });

  it.skipIf(postgresUrl === undefined)("serves the given Postgres schema", async () => {
    const pool = new Pool({ connectionString: postgresUrl });
    const schema = `dashboard_cli_${process.pid}`;
    const stateAdapter = createPostgresStateAdapter({ driver: pg(pool), schema });
    await stateAdapter.migrate();
    const { code } = await program(
      ["--schema", schema, "--role", "viewer"],
      async (link) => {
        const headers = { cookie: await signIn(link) };
        expect(await (await fetch(new URL("/-/session", link), { headers })).json()).toMatchObject({ role: "viewer" });
        expect((await fetch(new URL("/-/overview", link), { headers })).status).toBe(200);
      },
      { CHAINWRIGHT_POSTGRES_URL: postgresUrl },
    );
    expect(code).toBe(0);
    await pool.query(`drop schema "${schema}" cascade`);
    await stateAdapter.close();
    await pool.end();
  });

  it.each([
    ["no store", [], "name a store"],
    ["a missing file", ["--sqlite", "/nowhere/jobs.db"], "there is no file"],
    ["an invalid port", ["--sqlite", "a", "--port", "-1"], "--port"],
    ["an unknown role", ["--sqlite", "a", "--role", "root"], "--role"],
    ["an unknown option", ["--host", "0.0.0.0"], "--host"],
  ])("explains the error for %s", async (_what, args, sentence) => {
    const { code, complaints } = await program(args, async () => expect.unreachable());
    expect(code).toBe(1);
    expect(complaints).toContain(sentence);
  });

  it("shows its usage", async () => {
    const { code, printed } = await program(["--help"], async () => expect.unreachable());
    expect(code).toBe(0);
    expect(printed).toContain("--sqlite FILE");
  });
});

describe("served on loopback", () => {
  it("requires the link, and the link works once", async () => {
    const { client } = await createStage();
    const served = await serve({ client, port: 0, role: "admin" });
    const at = (path: string) => `http://127.0.0.1:${served.port}${path}`;
    for (const path of ["/", "/-/session", "/assets/a.js"]) expect((await fetch(at(path))).status).toBe(401);
    expect((await fetch(at("/?sign-in=guessed"))).status).toBe(403);
    const cookie = await signIn(served.link);
    expect((await fetch(served.link)).status).toBe(403);
    expect((await fetch(at("/-/session"), { headers: { cookie } })).status).toBe(200);
    expect((await fetch(at("/-/session"), { headers: { cookie: `${cookie}x` } })).status).toBe(401);
    await served.close();
  });

  it("refuses every other host name, so a foreign page cannot rebind its name to it", async () => {
    const { client } = await createStage();
    const served = await serve({ client, port: 0, role: "admin" });
    const { port } = served;
    const cookie = await signIn(served.link);
    for (const host of [
      "evil.example",
      `evil.example:${port}`,
      "127.0.0.1",
      `127.0.0.1:${port}.evil`,
      `[::]:${port}`,
    ]) {
      expect([400, 421], host).toContain(await raw(port, "/-/session", { host, cookie }));
    }
    expect(await raw(port, "/-/session", { host: `localhost:${port}`, cookie })).toBe(200);
    await served.close();
  });

  it("ends while streams are open", async () => {
    const { client } = await createStage();
    const served = await serve({ client, port: 0, role: "admin" });
    const cookie = await signIn(served.link);
    const response = await fetch(`http://127.0.0.1:${served.port}/-/events`, { headers: { cookie } });
    await served.close();
    await expect(response.text()).rejects.toThrow(TypeError);
  });
});
