import { parseArgs } from "node:util";

const vitest = ["node_modules/vitest/vitest.mjs", "run", "--typecheck.enabled=false"];

const simulationUsage = `Usage: npm run test:simulation -- [options]

Simulates a store, a broker and processes that fail at random, each seed a world of its own. A failure is shrunk and printed.

  --seeds <n>   how many worlds; 20000 unless given
  --from <n>    the first seed; 1 unless given. "--from 7 --seeds 1" repeats one world.
  -h, --help    print this text and end
`;

const accidentsUsage = `Usage: npm run test:accidents -- [options]

Repeats chains of every shape and lets one accident happen in each run, at another statement or network message each time.

  --stride <n>  take every n-th statement or message; 1 unless given, which takes about an hour
  --on <part>   only accidents whose title contains this text: "SQLite", "on Postgres", "between pg"
  -h, --help    print this text and end
`;

const driversUsage = `Usage: npm run test:drivers -- [options]

Runs clients and workers on the drivers that "npm test" leaves out, and the state port on the transactions of ORMs.

  --every <n>  of the ORMs, every n-th case, on each of them others; 1 unless given
  --on <part>  only tests whose title contains this text: "Drizzle", "PGlite"
  -h, --help   print this text and end
`;

/**
 * @typedef {object} Command
 * @property {string[]} args
 * @property {Record<string, string>} [env]
 * @property {string} [print] to print instead of running anything
 */

/**
 * @param {string[]} args
 * @returns {Command}
 */
export function simulation(args) {
  const { values } = parseArgs({
    args,
    options: {
      seeds: { type: "string", default: "20000" },
      from: { type: "string", default: "1" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return { args: [], print: simulationUsage };
  const env = { SIMULATION_SEEDS: countOf("--seeds", values.seeds), SIMULATION_FROM: countOf("--from", values.from) };
  return { args: [...vitest, "simulation/simulation.test.ts"], env };
}

/**
 * @param {string[]} args
 * @returns {Command}
 */
export function accidents(args) {
  const { values } = parseArgs({
    args,
    options: {
      stride: { type: "string", default: "1" },
      on: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return { args: [], print: accidentsUsage };
  const chosen = values.on === undefined ? [] : ["-t", values.on];
  const files = ["tests/faults/test/points.test.ts", "tests/faults/test/network.test.ts"];
  return { args: [...vitest, ...files, ...chosen], env: { ACCIDENT_STRIDE: countOf("--stride", values.stride) } };
}

/**
 * The suites of the ports on drivers and libraries that `npm test` leaves out, and of clients and workers of the last release.
 *
 * @param {string[]} args
 * @returns {Command}
 */
export function drivers(args) {
  const { values } = parseArgs({
    args,
    options: {
      every: { type: "string", default: "1" },
      on: { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return { args: [], print: driversUsage };
  const chosen = values.on === undefined ? [] : ["-t", values.on];
  return {
    args: [...vitest, "test/other-", "test/last-release.test.ts", ...chosen],
    env: { CHAINWRIGHT_DRIVERS: "all", CHAINWRIGHT_ORM_CASES: countOf("--every", values.every) },
  };
}

/**
 * @param {string} option
 * @param {string} text
 */
function countOf(option, text) {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`${option} must be an integer from 1; got ${text}`);
  return text;
}
