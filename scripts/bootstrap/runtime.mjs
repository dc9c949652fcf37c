import { existsSync } from "node:fs";
import { join } from "node:path";
import { npmInstall } from "./install.mjs";
import { isOlder } from "./node-version.mjs";

const replacement = "22";

/**
 * The Node that runs demo and tests: this one, unless it is 22.12 or 22.13. better-sqlite3 from 13 on is built for
 * Node-API 10, which came with 22.14; an older Node does not refuse it, but ends with a segmentation fault.
 *
 * @param {string} root
 * @returns {Promise<string>} path of the program
 */
export async function nodeForSqlite(root) {
  if (!isOlder(process.versions.node, "22.14")) return process.execPath;
  const folder = join(root, ".tools", `node-${replacement}`);
  const node = join(folder, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");
  if (existsSync(node)) return node;
  console.log(
    `better-sqlite3 needs Node-API 10, which Node.js ${process.versions.node} lacks: installing Node.js ${replacement} into .tools/ (once)`,
  );
  await npmInstall(folder, `node@${replacement}`);
  if (existsSync(node)) return node;
  throw new Error(`Demo and tests need Node.js 22.14 or newer for better-sqlite3; this is ${process.versions.node}.`);
}
