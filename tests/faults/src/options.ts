import { parseArgs } from "node:util";
import { deedNames, deedsWithout, type Deeds } from "./attack/deed-names.ts";
import type { Scale } from "./attack/plan.ts";
import type { BackendName } from "./attack/run.ts";
import type { Against } from "./attack/children.ts";
import { shapes, shapesOf, type Shapes } from "./work/shapes.ts";

/** What the guarantees page promises to withstand. */
const wholeScale = {
  postgres: { chains: 40_000, kills: 1_500, serverKills: 20 },
  "better-sqlite3": { chains: 10_000, kills: 200, serverKills: 0 },
  "node:sqlite": { chains: 10_000, kills: 200, serverKills: 0 },
} as const satisfies Readonly<Record<BackendName, Pick<Scale, "chains" | "kills" | "serverKills">>>;
const attacked = Object.keys(wholeScale) as readonly BackendName[];
const failover = "postgres-failover";

export const usage = `Usage: npm run test:faults -- [options]

Kills workers, starters and servers at random while chains run, then checks that nothing is lost and nothing happens twice.
Ends with status 1 if a rule is broken. Without --against sources, run \`npm run build\` first.

  --backend <name>      ${[...attacked, failover].join(", ")}; may be repeated
                        all but ${failover} unless given
  --minutes <n>         ends an attack after this time even if it is incomplete; default 10
  --seed <n>            repeats the choices of an earlier attack, as far as time allows
  --full-disk           puts the store on a small disk and fills it from time to time (Linux, with the right to mount)
  --chains, --kills, --server-kills <n>
                        ends an attack once this many have been started, killed and killed
  --processes, --concurrency <n>
                        worker processes, and slots of each
  --shapes <list>       of ${shapes.join(", ")}
  --without <list>      of ${deedNames.join(", ")}
  --against <what>      build or sources; build unless given
  --rounds <n>, --quorum-seconds <n>
                        of ${failover}
  -h, --help            print this text and end
`;

/** The options of the command line. */
export interface Options {
  readonly attacks: readonly { readonly backend: BackendName; readonly scale: Scale }[];
  readonly failover: { readonly rounds: number; readonly quorumGoneMs: number } | undefined;
  readonly seed: number;
  readonly against: Against;
  readonly fullDisk: boolean;
}

/** Reads the command line. Throws an error with a sentence for a mistake in it. */
export function readOptions(args: readonly string[]): Options | "help" {
  const { values } = parse(args);
  if (values.help) return "help";
  const { against } = values;
  const named: readonly string[] = values.backend ?? attacked;
  if (against !== "build" && against !== "sources") {
    throw new TypeError(`--against must be build or sources; got ${against}`);
  }
  const chosen = { shapes: shapesOf(values.shapes), deeds: deedsWithout(values.without) };
  const backends = named.filter((name) => name !== failover).map(backendOf);
  const rounds = numberOf("rounds", values.rounds);
  const quorumGoneMs = 1_000 * numberOf("quorum-seconds", values["quorum-seconds"]);
  return {
    attacks: backends.map((backend) => ({ backend, scale: scaleOf(values, wholeScale[backend], chosen) })),
    failover: named.includes(failover) ? { rounds, quorumGoneMs } : undefined,
    seed: values.seed === undefined ? Date.now() % 1_000_000 : numberOf("seed", values.seed),
    against,
    fullDisk: values["full-disk"],
  };
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      backend: { type: "string", multiple: true },
      minutes: { type: "string", default: "10" },
      seed: { type: "string" },
      "full-disk": { type: "boolean", default: false },
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
      help: { type: "boolean", short: "h", default: false },
    },
  });
}

function scaleOf(
  values: ReturnType<typeof parse>["values"],
  whole: Pick<Scale, "chains" | "kills" | "serverKills">,
  chosen: { readonly shapes: Shapes; readonly deeds: Deeds },
): Scale {
  return {
    chains: numberOf("chains", values.chains ?? String(whole.chains)),
    kills: numberOf("kills", values.kills ?? String(whole.kills)),
    serverKills: values["full-disk"]
      ? 0
      : numberOf("server-kills", values["server-kills"] ?? String(whole.serverKills)),
    minutes: numberOf("minutes", values.minutes),
    processes: numberOf("processes", values.processes),
    concurrency: numberOf("concurrency", values.concurrency),
    leaseMs: 1_000,
    delayMs: 40,
    backlog: 600,
    lifeMs: 1_200,
    ...chosen,
  };
}

function backendOf(name: string): BackendName {
  const found = attacked.find((each) => each === name);
  if (found !== undefined) return found;
  throw new TypeError(`--backend must be one of ${[...attacked, failover].join(", ")}; got ${name}`);
}

function numberOf(option: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== "" && number >= 0) return number;
  throw new TypeError(`--${option} must be a number from 0; got ${text}`);
}
