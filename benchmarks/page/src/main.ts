import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { backlogText, capacityText, trafficText } from "./capacity.ts";
import { memoryText } from "./memory.ts";
import { lossesText, peersText } from "./peers.ts";
import { readPieces, type CapacityRun, type Host, type MemoryRow, type PeerRun, type Piece } from "./results.ts";
import { summaryText } from "./summary.ts";
import { targetsText } from "./targets.ts";

const results = new URL("../../results/", import.meta.url);
const page = new URL("../../../docs-site/benchmarks/", import.meta.url);

const capacity = readPieces<CapacityRun>(results, "capacity");
const backlog = readPieces<CapacityRun>(results, "backlog");
const memory = readPieces<MemoryRow>(results, "memory");
const peers = readPieces<PeerRun>(results, "peers");
/** Found by profiling and counting; the READMEs of the tools have the details. */
const gaps = [
  "- The bare loops store no result, no times, no worker and no lease, in one table with one key, and never read their payload. The library does all of this for each job, in two tables; the distance to the floor is what that costs.",
  "- A single start on SQLite makes 8.9 writes to the write-ahead log, for four pages of two tables and two indexes; the bare loop makes 2. Fifty concurrent callers share commits and are faster than the floor.",
  "- A value job on Postgres: storing the end of a job with its result takes 12.7 us in the server, and claiming the next job takes 6.1 us; the bare loop takes 7 us for both. The server's profile has no single expensive spot.",
  "- The README of `benchmarks/processing-capacity` shows where each microsecond goes, and which attempts to save more did not help.",
];
const plot = new URL("backlog.svg", results);

mkdirSync(page, { recursive: true });
if (existsSync(plot)) copyFileSync(plot, new URL("backlog.svg", page));
writeFileSync(new URL("index.md", page), `${pageText()}\n`);

function pageText(): string {
  const all: readonly Piece<unknown>[] = [...capacity, ...backlog, ...memory, ...peers];
  const [first] = all;
  if (first === undefined) throw new Error("there are no results: run the tools with --json into benchmarks/results");
  return [
    "# Benchmarks",
    "`benchmarks/page` writes this page from the files in `benchmarks/results`; the tools wrote all of those in one run.",
    hostText(first.host, all),
    "Compare rates only within a table. Shares of the floor, ratios between contenders and the CPU time per job carry over to other machines; CPU per job varies least between runs.",
    "## Summary: CPU time per job",
    "Microseconds of CPU time, client and server together. _Values_: the step returns a value. _A transaction a job_: the step ends in a transaction of its own, together with a row of yours. _As recommended_: with the settings that the contender's documentation recommends for throughput. A chain of three steps uses continuations in Chainwright; in the other queues each job enqueues the next one. [Beside other queues](#beside-other-queues) has rates, latencies and settings.",
    summaryText(peers),
    "## What each adapter does",
    "Each figure is measured with 5,000 chains of one job at concurrency 10. _Value_: the handler returns a value. _Atomic_: `complete(callback)`, one transaction per job. _Staged_: `prepare`, then `complete`, two transactions per job. SQLite runs with durability `normal`; Postgres runs with its default settings, fsync included. The rows that begin with _notify_ keep their state in the process and have a broker between the starter and the worker. The _floor_ of a row is a loop without the library, with the same client, connections, durability and payload. The floor of _value_ claims and settles 100 jobs in each transaction; the floor of _atomic_ and _staged_ claims and settles one.",
    "```sh\npnpm bench:capacity\n```",
    capacityText(capacity),
    "### Hints",
    "Messages and looks are counted, not timed. No worker waits for the type of job that is started.",
    trafficText(capacity),
    "### Cost against the backlog",
    "Waiting jobs of another type must not make a job more expensive.",
    ...backlog.map(backlogCommand),
    backlogText(backlog),
    ...(existsSync(plot) ? ["![CPU of a value job against the jobs that wait](./backlog.svg)"] : []),
    "## Memory",
    "One lifecycle (create the adapters, a client and a worker; process 100 jobs; close everything), measured after three warm-up lifecycles. The row `in-process` is the client and the worker alone; the other rows include them.",
    "```sh\npnpm bench:memory\n```",
    memoryText(memory),
    "## Beside other queues",
    "All contenders of a table run at the same level of durability: Postgres with fsync, Redis with an append-only file that is synced before each reply, SQLite in WAL mode with `synchronous = normal`. The one exception says in its name that it is less durable. _Recommended_: the settings that the contender's documentation recommends for throughput; for Chainwright, its defaults. The README of `benchmarks/peers` has settings and versions. A chain of three steps uses continuations in Chainwright; in the other queues each handler enqueues the next job, which a crash may lose or duplicate. In brackets: the ratio to the first row of the table in the same run.",
    "```sh\npnpm bench:peers\n```",
    ...peers.map(peersText),
    "### Where others are faster",
    "Rates higher than those of Chainwright with values in the same table:",
    lossesText(peers),
    "## Targets",
    "The targets of the project and what this run found. Shares compare rates, which vary on a busy machine; microseconds are CPU time.",
    targetsText(capacity, memory),
    "Why targets were missed:",
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
      ? " **More than half of the cores were busy** before at least one part, partly because of the part before it: treat rates with care."
      : "";
  return `Machine: ${processor}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node ${node}, at commit ${commit}. Servers ran on the same machine. The run was taken in ${all.length} parts; the load before each was between ${least} and ${most}.${busy}`;
}
