import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { backlogText, capacityText, trafficText } from "./capacity.ts";
import { withSummary } from "./front-page.ts";
import { memoryText } from "./memory.ts";
import { lossesText, peersText } from "./peers.ts";
import { targetsText } from "./targets.ts";
import { readPieces, type CapacityRun, type Host, type MemoryRow, type PeerRun, type Piece } from "./results.ts";

const results = new URL("../../results/", import.meta.url);
const page = new URL("../../../docs-site/benchmarks/", import.meta.url);

const capacity = readPieces<CapacityRun>(results, "capacity");
const backlog = readPieces<CapacityRun>(results, "backlog");
const memory = readPieces<MemoryRow>(results, "memory");
const peers = readPieces<PeerRun>(results, "peers");
/** Found by profiling and counting, see the READMEs of the tools. */
const gaps = [
  "- The bare loops store no result, no times, no worker and no lease, in one table with one key, and never read their payload. The library does, in two tables, for each job, and the share of the floor is what that costs.",
  "- A single start on SQLite makes 8.9 writes to its log, for four pages of two tables and two indexes, where the bare loop makes 2. Fifty callers share a commit, and are then above the floor.",
  "- A value on Postgres: the end of a job with its result takes 12.7 us in the server, the claim of the next 6.1; the bare loop takes 7 for both. The server's profile is flat.",
  "- Where each microsecond goes, and what was tried and did not help: in the README of `benchmarks/processing-capacity`.",
];
const plot = new URL("backlog.svg", results);

mkdirSync(page, { recursive: true });
if (existsSync(plot)) copyFileSync(plot, new URL("backlog.svg", page));
writeFileSync(new URL("index.md", page), `${pageText()}\n`);
const readme = new URL("../../../README.md", import.meta.url);
writeFileSync(readme, withSummary(readFileSync(readme, "utf8"), peers));

function pageText(): string {
  const all: readonly Piece<unknown>[] = [...capacity, ...backlog, ...memory, ...peers];
  const [first] = all;
  if (first === undefined) throw new Error("there are no results: run the tools with --json into benchmarks/results");
  return [
    "# Benchmarks",
    "This page is written by `benchmarks/page` from the files in `benchmarks/results`, which the tools wrote in one run.",
    hostText(first.host, all),
    "A rate means something beside the others of the same table only. What holds elsewhere are the shares of the floor, the ratios between contenders, and the CPU of a job, which wanders least.",
    "## What each adapter does",
    "5,000 chains of one job for each figure, concurrency 10. _Value_: the handler returns a value. _Atomic_: `complete(callback)`, a transaction a job. _Staged_: `prepare`, then `complete`, two transactions a job. SQLite is at durability `normal`, Postgres as it comes, with fsync. The rows that begin with _notify_ have in-process state and a broker between starter and worker. Floors are loops without the library, on the same client, connections, durability and payload; the one of _value_ claims 100 and settles 100 in each transaction, the one of _atomic_ and _staged_ claims one and settles one.",
    "```sh\npnpm bench:capacity\n```",
    capacityText(capacity),
    "### Hints",
    "Counted, not timed. The starts are of a type that no worker waits for.",
    trafficText(capacity),
    "### Cost against the backlog",
    "Jobs that wait, of another type, must not make a job dearer.",
    ...backlog.map(backlogCommand),
    backlogText(backlog),
    ...(existsSync(plot) ? ["![CPU of a value job against the jobs that wait](./backlog.svg)"] : []),
    "## Memory",
    "A lifecycle (build the adapters, a client and a worker, process 100 jobs, close all), after three that are discarded. The row `in-process` is the client and the worker alone, which the other rows hold too.",
    "```sh\npnpm bench:memory\n```",
    memoryText(memory),
    "## Beside other queues",
    "Each contender at one level of durability: Postgres with fsync, Redis with an append-only file that is synced before it answers, SQLite in WAL mode with `synchronous = normal`; one row says that it is less. _Recommended_ is what the contender's documentation recommends for throughput, and for Chainwright its defaults; settings and versions are in the README of `benchmarks/peers`. A chain of three steps is one by continuation here and one by enqueueing the next job in the handler elsewhere, which a crash may lose or double. In brackets: how many times the first row of the table, in the same run.",
    "```sh\npnpm bench:peers\n```",
    ...peers.map(peersText),
    "### Where others do more",
    "Than Chainwright with values, in the same table:",
    lossesText(peers),
    "## Targets",
    "What was set out for, against this run. Shares compare rates, which a busy host pulls about; microseconds are of CPU.",
    targetsText(capacity, memory),
    "What stands between:",
    gaps.join("\n"),
  ].join("\n\n");
}

function backlogCommand({ settings, runs }: Piece<CapacityRun>): string {
  const rows = Array.isArray(settings["rows"]) ? settings["rows"].join(",") : "";
  const points = [...new Set(runs.map(({ point }) => point.backlog))].join(",");
  const command = `pnpm bench:capacity --rows ${rows} --backlog ${points} --chains ${String(settings["chains"])} --plot backlog.svg`;
  return `\`\`\`sh\n${command}\n\`\`\``;
}

function hostText({ processor, cores, memoryGiB, system, node, commit }: Host, all: readonly Piece<unknown>[]): string {
  const loads = all.map(({ host }) => host.load);
  const [least, most] = [Math.min(...loads), Math.max(...loads)].map((load) => load.toFixed(1));
  const busy =
    Math.max(...loads) > cores / 2
      ? " **More than half of the cores were busy** before at least one of them, for which the piece before counts too: take rates with care."
      : "";
  return `Machine: ${processor}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node}, at commit ${commit}, everything on it, servers included. The run was taken in ${all.length} pieces, with a load of ${least} to ${most} before them.${busy}`;
}
