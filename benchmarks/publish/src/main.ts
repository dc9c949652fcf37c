import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { help, readSettings, type Settings } from "./settings.ts";
import { stepsOf, type Step } from "./steps.ts";

const tools = fileURLToPath(new URL("../../", import.meta.url));
const asked = readSettings(process.argv.slice(2));
if (asked === undefined) console.log(help);
else publish(asked);

function publish({ size, only, dirty, settleSeconds }: Settings): void {
  if (!dirty && changesOfSources() !== "")
    throw new Error(
      "the sources must be those of a commit; got changes: commit them, or add --dirty if the figures are not for others",
    );
  // Results in the repository would make the sources of the next tool look changed.
  const folder = mkdtempSync(join(tmpdir(), "chainwright-bench-results-"));
  const failed: string[] = [];
  for (const step of stepsOf(size, only)) {
    const startedAt = performance.now();
    console.log(`\n==> ${step.name}: ${step.options.join(" ")}`);
    if (run(step, folder, settleSeconds) !== 0) failed.push(step.name);
    console.log(`<== ${step.name}: ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  }
  if (failed.length > 0) {
    console.error(
      `nothing is published, because these steps failed: ${failed.join(", ")}. What the others wrote is in ${folder}`,
    );
    process.exitCode = 1;
    return;
  }
  for (const file of readdirSync(folder)) copyFileSync(join(folder, file), join(tools, "results", file));
  rmSync(folder, { recursive: true });
  execFileSync("npm", ["run", "--silent", "bench:page"], { cwd: join(tools, ".."), stdio: "inherit" });
}

function changesOfSources(): string {
  return execFileSync("git", ["status", "--porcelain"], { cwd: tools, encoding: "utf8" });
}

function run({ name, tool, options, plot }: Step, folder: string, settleSeconds: string): number | null {
  const places = [
    "--json",
    join(folder, `${name}.json`),
    ...(plot === undefined ? [] : ["--plot", join(folder, plot)]),
  ];
  const settle = tool === "dashboard" ? [] : ["--settle", settleSeconds];
  const main = ["--conditions=@chainwright/source", "src/main.ts", ...options, ...settle, ...places];
  return spawnSync(process.execPath, main, { cwd: join(tools, tool), stdio: "inherit" }).status;
}
