import { backlogText, capacityText, trafficText } from "./capacity.ts";
import { hostText } from "./host.ts";
import { memoryText } from "./memory.ts";
import { lossesText, peersText } from "./peers.ts";
import type { Results } from "./results.ts";
import { scaleOutText } from "./scale-out.ts";
import { scenariosText } from "./scenarios.ts";
import { summaryText } from "./summary.ts";
import { targetsText } from "./targets.ts";
import { number, wordTable } from "./text.ts";
import { command } from "./command.ts";

/** Found by profiling and counting; the READMEs of the tools have the details. */
const gaps = [
  "- The bare loops store no result, no times, no worker and no lease, in one table with one key, and never read their payload. The library does all of this for each job, in two tables; the distance to the floor is what that costs.",
  "- A single start on SQLite makes 8.9 writes to the write-ahead log, for four pages of two tables and two indexes; the bare loop makes 2. Fifty concurrent callers share commits and are faster than the floor.",
  "- A value job on Postgres: storing the end of a job with its result takes 12.7 us in the server, and claiming the next job takes 6.1 us; the bare loop takes 7 us for both. The server's profile has no single expensive spot.",
  "- The README of `benchmarks/processing-capacity` shows where each microsecond goes, and which attempts to save more did not help.",
];

const scaleOutNote =
  "All processes work on one queue, on the machine of the servers. _Notify_ is the notify adapter of Chainwright; with _none_ a worker finds the jobs of other processes by looking. The CPU of a process counts once its worker has started. The README of `benchmarks/scale-out` has the details.";
const scenariosNote =
  "The in-process store, SQLite with durability `normal`, and Postgres with its notify adapter. Handlers do nothing, so shares of their CPU are the largest that there can be.";

export function pageText(results: Results): string {
  const { capacity, backlog, memory, peers, scaleOut, scenarios } = results;
  const chart = (file: string, title: string): readonly string[] =>
    results.charts.includes(file) ? [`![${title}](./${file})`] : [];
  const all = [...capacity, ...backlog, ...memory, ...peers, ...scaleOut, ...scenarios];
  return [
    "# Benchmarks",
    "`benchmarks/page` writes this page from the files in `benchmarks/results`. `npm run bench:publish` runs all tools with the commands on this page, one after the other.",
    hostText(all),
    "Compare rates only within a table. Shares of the floor, ratios between contenders and the CPU time per job carry over to other machines; CPU per job varies least between runs. A figure is the median of several runs, which took turns with those of the other rows of its table; ± is half of the distance between the lowest and the highest of them.",
    "## Summary: CPU time per job",
    "Microseconds of CPU time, client and server together. _Values_: the step returns a value. _A transaction a job_: the step ends in a transaction of its own, together with a row of yours. _As recommended_: with the settings that the contender's documentation recommends for throughput. A chain of three steps uses continuations in Chainwright; in the other queues each job enqueues the next one. [Beside other queues](#beside-other-queues) has rates, latencies and settings.",
    summaryText(peers),
    "## What each adapter does",
    `Each figure is measured with ${chainsOf(results)} chains of one job at concurrency 10. _Value_: the handler returns a value. _Atomic_: \`complete(callback)\`, one transaction per job. _Staged_: \`prepare\`, then \`complete\`, two transactions per job. SQLite runs with durability \`normal\`; Postgres runs with its default settings, fsync included. The rows that begin with _notify_ keep their state in the process and have a broker between the starter and the worker. The _floor_ of a row is a loop without the library, with the same client, connections, durability and payload. The floor of _value_ claims and settles 100 jobs in each transaction; the floor of _atomic_ and _staged_ claims and settles one.`,
    ...capacity.map((piece) => command("capacity", piece)),
    capacityText(capacity),
    "### Hints",
    "Messages and looks are counted, not timed. No worker waits for the type of job that is started.",
    trafficText(capacity),
    "### Cost against the backlog",
    "Waiting jobs of another type must not make a job more expensive.",
    ...backlog.map((piece) => command("capacity", piece)),
    backlogText(backlog),
    ...chart("backlog.svg", "CPU of a value job against the jobs that wait"),
    "## Memory",
    "One lifecycle (create the adapters, a client and a worker; process 100 jobs; close everything), measured after three warm-up lifecycles. The row `in-process` is the client and the worker alone; the other rows include them.",
    ...memory.map((piece) => command("memory", piece)),
    memoryText(memory),
    "## Beside other queues",
    "All contenders of a table run at the same level of durability: Postgres with fsync, Redis with an append-only file that is synced before each reply, SQLite in WAL mode with `synchronous = normal`. The one exception says in its name that it is less durable. _Recommended_: the settings that the contender's documentation recommends for throughput. The README of `benchmarks/peers` has settings and versions. Each figure comes after as many jobs that are not measured, and ends after some seconds at the latest, for what was done by then. A chain of three steps uses continuations in Chainwright; in the other queues each handler enqueues the next job, which a crash may lose or duplicate. In brackets: the ratio to the first row of the table in the same run.",
    ...peers.map((piece) => command("peers", piece)),
    ...peers.map(peersText),
    "### Where others are faster",
    "Rates higher than those of Chainwright with values in the same table:",
    lossesText(peers),
    ...(scaleOut.length === 0 ? [] : ["## Many worker processes", scaleOutNote]),
    ...scaleOut.flatMap((piece) => [command("scale-out", piece), scaleOutText(piece)]),
    ...chart("scale-out.svg", "CPU of a job against the number of worker processes"),
    ...(scenarios.length === 0 ? [] : ["## Situations of a service", scenariosNote]),
    ...scenarios.flatMap((piece) => [command("scenarios", piece), scenariosText(piece)]),
    "## What did not help",
    "Ideas that were built, measured beside the code as it is in alternating runs, and removed:",
    wordTable(["idea", "result"], results.notHelped),
    "## Targets",
    "The targets of the project and what this run found. Shares compare rates, which vary on a busy machine; microseconds are CPU time.",
    targetsText(results),
    "Why targets were missed:",
    gaps.join("\n"),
  ].join("\n\n");
}

function chainsOf({ capacity }: Results): string {
  return [...new Set(capacity.map(({ settings }) => number(Number(settings["chains"]))))].join(" or ");
}
