import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire, stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../../", import.meta.url));
/** Below the example, so that the frameworks are found in its `node_modules`. */
const stage = fileURLToPath(new URL("../.cache/", import.meta.url));

/** Builds the two packages as a release does, and installs them in a folder for applications. Returns that folder. */
export async function stagePackages(): Promise<string> {
  rmSync(stage, { recursive: true, force: true });
  await Promise.all([
    install("core", "chainwright"),
    install("dashboard", "@chainwright/dashboard").then(async (dist) => {
      await runIn("dashboard", "vite/bin/vite.js", ["build", "ui", "--logLevel", "warn", "--outDir", join(dist, "ui")]);
    }),
  ]);
  return stage;
}

/** Writes an application in JavaScript, with the shop in it, so that no framework looks for compilers. Returns its folder. */
export function stageApplication(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(stage, name);
  mkdirSync(folder, { recursive: true });
  const shop = stripTypeScriptTypes(readFileSync(new URL("../src/shop.ts", import.meta.url), "utf8"));
  const all = { "package.json": '{ "type": "module" }', "shop.js": shop, ...files };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

async function install(folder: string, name: string): Promise<string> {
  const target = join(stage, "node_modules", name);
  const dist = join(target, "dist");
  mkdirSync(target, { recursive: true });
  const { publishConfig, ...manifest } = JSON.parse(
    readFileSync(join(root, "packages", folder, "package.json"), "utf8"),
  ) as { readonly publishConfig: object };
  writeFileSync(join(target, "package.json"), JSON.stringify({ ...manifest, ...publishConfig }));
  const flags = ["--config", "../../tsup.config.ts", "--no-dts", "--silent"];
  await runIn(folder, "tsup/dist/cli-default.js", [...flags, "--out-dir", dist]);
  return dist;
}

/** Runs a program of a package's own dependencies, or of the workspace's, in the folder of the package. */
async function runIn(folder: string, program: string, args: readonly string[]): Promise<void> {
  const cwd = join(root, "packages", folder);
  const [name = ""] = program.split("/");
  const manifest = createRequire(join(cwd, "package.json")).resolve(`${name}/package.json`);
  const path = join(manifest, "..", program.slice(name.length + 1));
  await promisify(execFile)(process.execPath, [path, ...args], {
    cwd,
    // A production build, as in a release.
    env: { ...process.env, NODE_ENV: "production" },
  });
}
