import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createJournalStateAdapter } from "@chainwright/journal";
import { describe, expect, it, onTestFinished } from "vitest";
import { cli, type Given } from "./cli.ts";
import { fillShop } from "./shop.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-cli-journal-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "jobs");
}

/** A folder with the chains of the shop, which no process uses. */
async function filled() {
  const folder = newFolder();
  const stateAdapter = await createJournalStateAdapter({ folder });
  const { client } = await fillShop({ stateAdapter });
  await client.close();
  await stateAdapter.close();
  const on = async (args: readonly string[], given: Given = {}) => {
    const ran = await cli(["--store", `journal:${folder}`, ...args], given);
    return { ...ran, rows: () => ran.lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>) };
  };
  return { folder, on };
}

/** Opens the folder once more, so that its first segment is an earlier one, and changes a byte of that. */
async function damage(folder: string): Promise<void> {
  const again = await createJournalStateAdapter({ folder });
  await again.close();
  const file = join(folder, "log-2");
  const bytes = readFileSync(file);
  const last = bytes.length - 1;
  bytes[last] = (bytes[last] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

describe("a store that journal: names", () => {
  it("is listed, shown and changed, and the next command finds the change", async () => {
    const { on } = await filled();
    const failed = (await on(["chains", "list", "--status", "failed", "--json"])).rows();
    expect(failed).toHaveLength(3);
    const id = String(failed[0]?.["id"]);
    expect((await on(["chains", "show", id])).out).toContain("no such mailbox");
    expect((await on(["types"], { columns: 100 })).out).toContain("mail.send");
    const started = await on(["start", "mail.send", '{"to":"x"}', "--key", "once", "--json"]);
    expect(started.code, started.err).toBe(0);
    const found = (await on(["chains", "list", "--key", "once", "--json"])).rows();
    expect(found.map((chain) => chain["id"])).toEqual([started.rows()[0]?.["id"]]);
    expect((await on(["chains", "delete", id, "--yes"])).code).toBe(0);
    expect((await on(["chains", "show", id])).err).toContain("there is no chain");
  });

  it("keeps what it has when a change is only tried", async () => {
    const { on } = await filled();
    const list = async () => (await on(["chains", "list", "--all", "--json"])).rows().map((chain) => chain["status"]);
    const before = await list();
    const tried = await on(["chains", "retry", "--status", "failed", "--dry-run"]);
    expect(tried.code, tried.err).toBe(0);
    expect(await list()).toEqual(before);
  });

  it("is created by migrate alone, and not by a migration that is only tried", async () => {
    const folder = newFolder();
    const on = async (...args: string[]) => await cli(["--store", `journal:${folder}`, ...args]);
    expect(await on("types")).toMatchObject({ code: 1 });
    expect((await on("types")).err).toContain("`chainwright migrate` creates it");
    expect(await on("migrate", "--dry-run")).toMatchObject({ code: 0, out: "" });
    expect(existsSync(folder)).toBe(false);
    expect((await on("migrate")).out).toContain(`journal in ${folder}: up to date`);
    expect(await on("types")).toMatchObject({ code: 0 });
  });

  it("is refused while another process has it, with what to do", async () => {
    const { folder, on } = await filled();
    const held = await createJournalStateAdapter({ folder });
    const ran = await on(["types"]);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain(`is open in process ${process.pid}`);
    expect(ran.err).toContain("stop that one first");
    expect(ran.err.trim().split("\n")).toHaveLength(1);
    expect(JSON.parse((await on(["--json", "types"])).err)).toMatchObject({ error: { code: "store-unavailable" } });
    await held.close();
    expect(await on(["types"])).toMatchObject({ code: 0 });
  });

  it("is looked at by the doctor", async () => {
    const { on } = await filled();
    const { code, lines } = await on(["doctor", "--deep"]);
    expect(lines.join("\n")).toContain("are as they were written");
    // Its only fault: jobs are ready and no worker runs.
    expect(code).toBe(0);
  });
});

describe("journal verify", () => {
  it("reads a journal that a process uses, and changes nothing", async () => {
    const { folder } = await filled();
    const held = await createJournalStateAdapter({ folder });
    onTestFinished(() => held.close());
    const ran = await cli(["journal", "verify", folder]);
    expect(ran.code, ran.err).toBe(0);
    expect(ran.lines).toContain("result\tundamaged");
    expect((await cli(["journal", "verify", folder], { columns: 80 })).out).toContain("undamaged");
    const [json = ""] = (await cli(["--json", "journal", "verify", folder])).lines;
    expect(JSON.parse(json)).toMatchObject({ ok: true });
  });

  it("ends with 1 at damage, and says where it is", async () => {
    const { folder } = await filled();
    await damage(folder);
    const ran = await cli(["journal", "verify", folder]);
    expect(ran.code).toBe(1);
    expect(ran.out).toMatch(/damage\tbyte \d+ of log-2/);
    expect(ran.err).toContain("--salvage NEW");
    const [json = ""] = (await cli(["--json", "journal", "verify", folder])).lines;
    expect(JSON.parse(json)).toMatchObject({ ok: false, damage: { file: "log-2" } });
  });

  it("is refused for a folder that is not there, and does not create it", async () => {
    const folder = newFolder();
    expect((await cli(["journal", "verify", folder])).err).toContain("there is no folder");
    expect(existsSync(folder)).toBe(false);
  });
});

describe("journal dump", () => {
  it("writes a backup that is a store with the same chains, while a process uses the journal", async () => {
    const { folder, on } = await filled();
    const chains = (await on(["chains", "list", "--all", "--json"])).out;
    const held = await createJournalStateAdapter({ folder });
    const copy = newFolder();
    const ran = await cli(["--json", "journal", "dump", folder, "--to", copy]);
    await held.close();
    expect(ran.code, ran.err).toBe(0);
    expect(JSON.parse(ran.out)).toMatchObject({ folder: copy });
    expect((await cli(["--store", `journal:${copy}`, "chains", "list", "--all", "--json"])).out).toBe(chains);
  });

  it("refuses a damaged journal, and salvages what is readable of it", async () => {
    const { folder, on } = await filled();
    await damage(folder);
    const opened = await on(["types"]);
    expect(opened).toMatchObject({ code: 1 });
    expect(opened.err).toContain("chainwright journal dump FOLDER --salvage NEW");
    const backup = await cli(["--json", "journal", "dump", folder, "--to", newFolder()]);
    expect(backup.code).toBe(1);
    expect(JSON.parse(backup.err)).toMatchObject({ error: { code: "journal-damaged" } });
    const copy = newFolder();
    expect((await cli(["journal", "dump", folder, "--salvage", copy])).code).toBe(0);
    const { code, lines } = await cli(["--store", `journal:${copy}`, "chains", "list"]);
    expect(code).toBe(0);
    expect(lines.length).toBeGreaterThan(0);
  });

  it("takes one new folder", async () => {
    const { folder } = await filled();
    expect(await cli(["journal", "dump", folder])).toMatchObject({ code: 2 });
    expect(await cli(["journal", "dump", folder, "--to", "a", "--salvage", "b"])).toMatchObject({ code: 2 });
    const full = await cli(["journal", "dump", folder, "--to", folder]);
    expect(full).toMatchObject({ code: 1 });
    expect(full.err).toContain("must be an empty folder");
  });
});
