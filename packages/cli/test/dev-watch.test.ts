import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { cli } from "./cli.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const flags = ["--conditions=@chainwright/source", "--experimental-strip-types", "--no-warnings"];

interface Facts {
  readonly dashboard: string;
  readonly gateway: string;
  readonly key: string;
}

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "chainwright-watch-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A folder with a configuration whose only job type is named in a module of its own. */
function projectFolder(typeName: string) {
  const folder = emptyFolder();
  symlinkSync(fileURLToPath(new URL("../node_modules", import.meta.url)), join(folder, "node_modules"));
  const write = (name: string): void => {
    writeFileSync(join(folder, "type-name.mjs"), `export const typeName = ${JSON.stringify(name)};\n`);
  };
  write(typeName);
  writeFileSync(
    join(folder, "chainwright.config.mjs"),
    `import { createClient, createInProcessStateAdapter, createProcessors, defineJobTypes } from "chainwright";
    import { typeName } from "./type-name.mjs";
    const jobTypes = defineJobTypes();
    const stateAdapter = createInProcessStateAdapter();
    const client = createClient({ stateAdapter, jobTypes });
    const processors = createProcessors({ client, jobTypes, processors: { [typeName]: async () => ({ by: typeName }) } });
    export default { client, stateAdapter, processors: [processors] };
    `,
  );
  return { folder, write };
}

/** Runs `dev --watch`; `begun` has what it has printed each time that it began. */
function watch(folder: string) {
  const args = [...flags, main, "--json", "dev", "--watch"];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit").then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  const begun = () =>
    out
      .split("\n")
      .slice(0, -1)
      .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Facts] : []));
  return { child, ended, begun };
}

it("dev --watch begins again with the code that has changed, where browsers and workers find it", async () => {
  const { folder, write } = projectFolder("first.one");
  const { child, ended, begun } = watch(folder);
  const timeout = 50_000;
  await expect.poll(() => begun().length, { timeout }).toBe(1);
  const [{ dashboard, gateway, key } = { dashboard: "", gateway: "", key: "" }] = begun();
  const signedIn = await fetch(dashboard, { redirect: "manual" });
  const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
  const runs = async (typeName: string): Promise<string> => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ chains: [{ typeName, input: null }] });
    const reply = await fetch(`${gateway}/v1/chains`, { method: "POST", headers, body });
    if (!reply.ok) return await reply.text();
    return await (await fetch(new URL("/-/chains", dashboard), { headers: { cookie } })).text();
  };
  await expect.poll(() => runs("first.one"), { timeout }).toContain('"completed"');
  write("second.one");
  await expect.poll(() => begun().length, { timeout }).toBe(2);
  expect(begun()[1]).toMatchObject({ gateway, key });
  await expect.poll(() => runs("second.one"), { timeout }).toContain('"completed"');
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
  await expect(fetch(gateway)).rejects.toThrow("fetch failed");
});

it("dev --watch is refused where no configuration could change", async () => {
  const { code, err } = await cli(["dev", "--watch"], { folder: emptyFolder() });
  expect(code).toBe(2);
  expect(err).toContain("there is no chainwright.config.ts here");
});
