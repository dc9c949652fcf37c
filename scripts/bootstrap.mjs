// Runs a command in a fresh clone with only Node and npm: node scripts/bootstrap.mjs <target> [arguments].
// This file and node-version.mjs must run on a Node that is too old, to report that it is; so the rest is imported later.
import { readFileSync } from "node:fs";
import { complaintAboutNode } from "./bootstrap/node-version.mjs";

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const complaint = complaintAboutNode(manifest.engines.node, process.versions.node, process.execPath);

if (complaint === undefined) {
  const { run } = await import("./bootstrap/run.mjs");
  process.exitCode = await run(process.argv[2], process.argv.slice(3));
} else {
  console.error(complaint);
  process.exitCode = 1;
}
