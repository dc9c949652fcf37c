import { existsSync } from "node:fs";
import { join } from "node:path";
import { npmInstall } from "../../tooling/npm-install.mjs";
import { isOlder } from "./node-version.mjs";

const replacement = "22";

/**
 * The Node that runs demo and tests: this one, unless it is older than 22.16. better-sqlite3 from 13 on is built for
 * Node-API 10, which came with 22.14; an older Node does not refuse it, but ends with a segmentation fault. And
 * node:sqlite reports whether a transaction is open from 22.16 on.
 *
 * @param {string} root
 * @returns {Promise<string>} path of the program
 */
export async function nodeForSqlite(root) {
  if (!isOlder(process.versions.node, "22.16")) return process.execPath;
  const folder = join(root, ".tools", `node-${replacement}`);
  const node = join(folder, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");
  if (existsSync(node)) return node;
  const reason = `Demo and tests use SQLite, whose drivers need Node.js 22.16, and this is ${process.versions.node}`;
  console.log(`${reason}: installing Node.js ${replacement} into .tools/ (once)`);
  await npmInstall(folder, `node@${replacement}`);
  if (existsSync(node)) return node;
  throw new Error(`${reason}. Install a newer one and try again.`);
}
