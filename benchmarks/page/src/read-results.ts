import { existsSync, readdirSync, readFileSync } from "node:fs";
import { notHelpedIn } from "./not-helped.ts";
import type { Results } from "./results.ts";

/** The figures that the tools drew. */
const charts = ["backlog.svg", "scale-out.svg"];

/** Reads what the tools wrote, and what the READMEs beside them say. */
export function readResults(folder: URL, tools: URL): Results {
  const pieces = (beginning: string): unknown => readPieces(folder, beginning);
  return {
    capacity: pieces("capacity") as Results["capacity"],
    backlog: pieces("backlog") as Results["backlog"],
    memory: pieces("memory") as Results["memory"],
    peers: pieces("peers") as Results["peers"],
    scaleOut: pieces("scale-out") as Results["scaleOut"],
    scenarios: pieces("scenarios") as Results["scenarios"],
    notHelped: readNotHelped(tools),
    charts: charts.filter((chart) => existsSync(new URL(chart, folder))),
  };
}

/** In the order of the names of the files. */
function readPieces(folder: URL, beginning: string): readonly object[] {
  return readdirSync(folder)
    .filter((file) => file.startsWith(beginning) && file.endsWith(".json"))
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    .map((file) => ({ ...(JSON.parse(readFileSync(new URL(file, folder), "utf8")) as object), file }));
}

/** "memory" comes before "memory-10m". */
function nameOf(file: string): string {
  return file.slice(0, -".json".length);
}

function readNotHelped(tools: URL): Results["notHelped"] {
  return readdirSync(tools)
    .map((tool) => new URL(`${tool}/README.md`, tools))
    .filter((readme) => existsSync(readme))
    .flatMap((readme) => notHelpedIn(readFileSync(readme, "utf8")));
}
