/** The last release and this one on one store, through a migration, a roll and a roll back. */
import { parseArgs } from "node:util";
import { runRolling, storeNames, type StoreName } from "./run-rolling.ts";

const usage = `Usage: npm run test:rolling -- [options]

Fills a store with the last release, migrates it with this one while workers and starters of the last release work, then kills
processes of both releases and starts them again, and rolls back. Checks that no chain is lost, no job ends twice, and no attempt is
burnt. Ends with status 1 if a rule is broken. Without --against sources, run \`npm run build\` first.

  --store <name>        ${storeNames.join(" or ")}; may be repeated; both unless given
  --chains <n>          how many chains are started at least; 2,000 unless given
  --restarts <n>        how many processes are killed; 20 unless given
  --seed <n>            repeats the choice of the processes that are killed
  --against <what>      build or sources; build unless given
  -h, --help            print this text and end
`;

function numberOf(option: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new TypeError(`--${option} must be an integer from 0; got ${text}`);
}

function storeOf(text: string): StoreName {
  const found = storeNames.find((each) => each === text);
  if (found !== undefined) return found;
  throw new TypeError(`--store must be one of ${storeNames.join(", ")}; got ${text}`);
}

function read() {
  const { values } = parseArgs({
    options: {
      store: { type: "string", multiple: true },
      chains: { type: "string", default: "2000" },
      restarts: { type: "string", default: "20" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      against: { type: "string", default: "build" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return "help";
  const { against } = values;
  if (against !== "build" && against !== "sources") {
    throw new TypeError(`--against must be build or sources; got ${against}`);
  }
  return {
    stores: (values.store ?? storeNames).map(storeOf),
    chains: numberOf("chains", values.chains),
    restarts: numberOf("restarts", values.restarts),
    seed: numberOf("seed", values.seed),
    against,
  } as const;
}

const log = (line: string): void => void process.stdout.write(`${line}\n`);

async function run({ stores, ...options }: Exclude<ReturnType<typeof read>, "help">): Promise<boolean> {
  let isKept = true;
  for (const store of stores) {
    log(`\n${store}, seed ${options.seed}`);
    const began = performance.now();
    const { broken, figures } = await runRolling({ ...options, store, log: (line) => log(`  ${line}`) });
    for (const [name, figure] of Object.entries(figures)) log(`  ${name}: ${figure}`);
    for (const each of broken) log(`  BROKEN: ${each}`);
    log(
      `  ${broken.length === 0 ? "withstood" : "NOT withstood"}, after ${Math.round((performance.now() - began) / 1_000)} s`,
    );
    isKept &&= broken.length === 0;
  }
  return isKept;
}

function readOrExplain() {
  try {
    return read();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return undefined;
  }
}

const options = readOrExplain();
if (options === "help") process.stdout.write(usage);
else if (options === undefined) process.exitCode = 2;
else process.exitCode = (await run(options)) ? 0 : 1;
