import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { installDependencies, installPnpm } from "./install.mjs";
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

/** @type {Record<string, (args: string[], pnpm: string) => string[] | undefined>} */
const targets = {
  demo: (args) => [...sourceFlags(), demo, ...args],
  test: (args) => [vitest, "run", ...args],
  pnpm: (args, pnpm) => [pnpm, ...args],
  node: (args) => [...sourceFlags(), ...args],
  setup: () => undefined,
};

/**
 * Installs what is missing, then runs the target and answers its exit code.
 *
 * @param {string | undefined} name
 * @param {string[]} args
 */
export async function run(name, args) {
  const target = targets[name ?? ""];
  if (target === undefined) {
    console.error(`Unknown target ${String(name)}. One of: ${Object.keys(targets).join(", ")}`);
    return 1;
  }
  try {
    const pnpm = await installPnpm(root);
    if (name !== "pnpm") await installDependencies(root, pnpm);
    const command = target(args, pnpm);
    if (command === undefined) return 0;
    if (name === "demo" && !existsSync(`${root}${demo}`)) throw new Error(`${demo} is missing from this clone.`);
    const node = name === "pnpm" ? process.execPath : await nodeForSqlite(root);
    return await runNode(node, command);
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
 * @returns {Promise<number>}
 */
function runNode(node, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(node, args, { cwd: root, stdio: "inherit" });
    // Ctrl-C reaches the child by itself: stay until it has put its house in order. SIGTERM does not, so pass it on.
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
