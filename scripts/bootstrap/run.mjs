import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { areasOf, testArguments } from "./areas.mjs";
import { installDependencies, installPnpm } from "./install.mjs";
import { accidents, drivers, simulation } from "./long-tests.mjs";
import { isOlder } from "./node-version.mjs";
import { nodeForSqlite } from "./runtime.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const demo = "examples/library-index/src/main.ts";
const vitest = "node_modules/vitest/vitest.mjs";

/** Flags with which this Node runs the sources as they are. */
function sourceFlags() {
  const stripping = isOlder(process.versions.node, "22.18") ? ["--experimental-strip-types"] : [];
  return ["--conditions=@chainwright/source", "--disable-warning=ExperimentalWarning", ...stripping];
}

/** @type {Record<string, (args: string[], pnpm: string) => import("./long-tests.mjs").Command | undefined>} */
const targets = {
  demo: (args) => ({ args: [...sourceFlags(), demo, ...args] }),
  test: (args) => ({ args: [vitest, "run", ...testArguments(args, areasOf(root))] }),
  simulation,
  accidents,
  drivers,
  pnpm: (args, pnpm) => ({ args: [pnpm, ...args] }),
  node: (args) => ({ args: [...sourceFlags(), ...args] }),
  setup: () => undefined,
};

/**
 * Installs what is missing, runs the target and returns its exit code.
 *
 * @param {string | undefined} name
 * @param {string[]} args
 */
export async function run(name, args) {
  const target = targets[name ?? ""];
  if (target === undefined) {
    console.error(`The target must be one of ${Object.keys(targets).join(", ")}; got ${String(name)}`);
    return 1;
  }
  try {
    const pnpm = await installPnpm(root);
    if (name !== "pnpm") await installDependencies(root, pnpm);
    const command = target(args, pnpm);
    if (command?.print !== undefined) console.log(command.print);
    if (command === undefined || command.print !== undefined) return 0;
    if (name === "demo" && !existsSync(`${root}${demo}`)) throw new Error(`${demo} is missing from this clone.`);
    const node = name === "pnpm" ? process.execPath : await nodeForSqlite(root);
    return await runNode(node, command.args, command.env);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  }
}

/**
 * Runs Node in the repository's folder; the folder of the caller is in INIT_CWD, as npm gives it.
 *
 * @param {string} node
 * @param {string[]} args
 * @param {Record<string, string>} [env] beside the variables of this process
 * @returns {Promise<number>}
 */
function runNode(node, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(node, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } });
    // Ctrl-C reaches the child by itself: wait until it has cleaned up. SIGTERM does not, so pass it on.
    const ignore = () => undefined;
    const forward = () => child.kill("SIGTERM");
    process.on("SIGINT", ignore);
    process.on("SIGTERM", forward);
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      process.off("SIGINT", ignore);
      process.off("SIGTERM", forward);
      resolve(code ?? (signal === "SIGINT" ? 130 : signal === "SIGTERM" ? 143 : 1));
    });
  });
}
