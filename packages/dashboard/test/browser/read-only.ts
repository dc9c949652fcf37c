import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createSqliteStateAdapter } from "@chainwright/sqlite";
import { nodeSqlite } from "@chainwright/sqlite/node-sqlite";
import { createClient, defineJobTypes } from "chainwright";
import type { Browser } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { createDashboard } from "../../src/create-dashboard.ts";
import { seriousFaults } from "./pages.ts";
import { serve } from "./serve.ts";
import { shoot, visit } from "./visit.ts";

const jobTypes = defineJobTypes<{ "mail.send": { entry: true; input: { to: string }; output: null } }>();

/** A dashboard on a SQLite file with one chain, which is opened read-only. */
async function serveReadOnlyFile() {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-read-only-"));
  const file = join(folder, "jobs.db");
  const writing = createSqliteStateAdapter({ driver: nodeSqlite(file) });
  await writing.migrate();
  const { id } = await createClient({ stateAdapter: writing, jobTypes, observers: [] }).startChain({
    typeName: "mail.send",
    input: { to: "ada" },
  });
  const database = new DatabaseSync(file, { readOnly: true });
  const stateAdapter = createSqliteStateAdapter({ driver: nodeSqlite(database) });
  const client = createClient({ stateAdapter, jobTypes, observers: [] });
  const server = await serve(createDashboard({ client, authorize: () => ({ role: "admin", name: "Ada" }) }));
  onTestFinished(async () => {
    await server.close();
    await client.close();
    await stateAdapter.close();
    database.close();
    await writing.close();
    rmSync(folder, { recursive: true });
  });
  return { id, url: `${server.origin}/` };
}

/** A database that takes no writes. */
export function readOnly(browser: () => Browser) {
  it("shows everything, says that actions are off before one is tried, and why", async () => {
    const { id, url } = await serveReadOnlyFile();
    const { page, open, complaints } = await visit(browser(), url);
    await open(`chains/${id}`);
    await page.getByRole("note").getByText("The database file is opened read-only").waitFor();
    for (const name of ["Cancel", "Delete"]) {
      const button = page.getByRole("button", { name });
      expect([name, await button.isDisabled()]).toEqual([name, true]);
      expect(await button.getAttribute("title")).toMatch(/opened read-only/);
    }
    await shoot(page, "read-only");
    expect(await seriousFaults(page)).toEqual([]);
    await open("");
    expect(await page.getByRole("button", { name: "Pause mail.send", exact: true }).isDisabled()).toBe(true);
    expect(complaints).toEqual([]);
  });
}
