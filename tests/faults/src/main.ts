import { parseArgs } from "node:util";
import { deedsWithout } from "./attack/deed-names.ts";
import { runAttack } from "./attack/run.ts";
import type { BackendName } from "./attack/run.ts";
import type { Scale } from "./attack/plan.ts";
import { runFailover } from "./failover/run-failover.ts";
import { report } from "./report.ts";
import { shapesOf } from "./work/shapes.ts";

const { values } = parseArgs({
  options: {
    backend: { type: "string", multiple: true },
    minutes: { type: "string", default: "10" },
    seed: { type: "string" },
    chains: { type: "string" },
    kills: { type: "string" },
    "server-kills": { type: "string" },
    processes: { type: "string", default: "4" },
    concurrency: { type: "string", default: "20" },
    against: { type: "string", default: "build" },
    shapes: { type: "string" },
    rounds: { type: "string", default: "20" },
    "quorum-seconds": { type: "string", default: "10" },
    without: { type: "string" },
  },
});

/** What the guarantees page claims. */
const wholeScale = {
  postgres: { chains: 40_000, kills: 1_500, serverKills: 20 },
  "better-sqlite3": { chains: 10_000, kills: 200, serverKills: 0 },
  "node:sqlite": { chains: 10_000, kills: 200, serverKills: 0 },
} as const;
const backendNames = Object.keys(wholeScale) as readonly BackendName[];

function scaleOf(backend: BackendName): Scale {
  const whole = wholeScale[backend];
  return {
    chains: Number(values.chains ?? whole.chains),
    kills: Number(values.kills ?? whole.kills),
    serverKills: Number(values["server-kills"] ?? whole.serverKills),
    minutes: Number(values.minutes),
    processes: Number(values.processes),
    concurrency: Number(values.concurrency),
    leaseMs: 1_000,
    delayMs: 40,
    backlog: 600,
    lifeMs: 1_200,
    shapes: shapesOf(values.shapes),
    deeds: deedsWithout(values.without),
  };
}

const seed = Number(values.seed ?? Date.now() % 1_000_000);
let failed = false;
const say = (line: string) => void process.stdout.write(`${line}\n`);
for (const backend of values.backend ?? backendNames) {
  // In this process, and only when it is asked for.
  if (backend === "postgres-failover") {
    say(`\n${backend}`);
    const quorumGoneMs = 1_000 * Number(values["quorum-seconds"]);
    failed ||= !(await runFailover({ rounds: Number(values.rounds), quorumGoneMs, tell: say }));
    continue;
  }
  if (!(backend in wholeScale))
    throw new TypeError(`--backend is one of ${backendNames.join(", ")}, postgres-failover`);
  const name = backend as BackendName;
  say(`\n${name}, seed ${seed}`);
  const against = values.against === "sources" ? "sources" : "build";
  const startedAt = Date.now();
  const outcome = await runAttack({ backend: name, scale: scaleOf(name), seed, against, tell: say });
  const { text, clean } = report(outcome);
  say(`${text}\nafter ${Math.round((Date.now() - startedAt) / 1_000)} s`);
  failed ||= !clean;
}
process.exitCode = failed ? 1 : 0;
