/** Looks for leaks on every pair of adapters. */
import { parseArgs } from "node:util";
import { provideBackend } from "@chainwright/backends";
import { lookForLeaks } from "./look-for-leaks.ts";
import { needOf, pairNames } from "./pairs.ts";

const usage = `Usage: npm run test:leaks -- [options] [part of a pair's name]...

Lets pairs of state adapter and notify adapter run many jobs, waits and reconnects, each pair in a process of its own, and checks
that nothing grows and that the process ends by itself. Without --against sources, run \`npm run build\` first.

  --scale <n>        this part of 200000 jobs, 100000 waits and 1000 reconnects; 1 unless given
  --against <what>   build or sources; build unless given
  --exit-ms <n>      how long a process may take to end; 2000 unless given
  -h, --help         print this text and end

Pairs: ${pairNames.join("; ")}
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    against: { type: "string", default: "build" },
    scale: { type: "string", default: "1" },
    "exit-ms": { type: "string", default: "2000" },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
const whole = { jobs: 200_000, waits: 100_000, reconnects: 1_000 };
const scale = Number(values.scale);
const times = { jobs: whole.jobs * scale, waits: whole.waits * scale, reconnects: whole.reconnects * scale };
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const names = pairNames.filter((name) => positionals.length === 0 || positionals.some((part) => name.includes(part)));
const needs = new Set(names.flatMap((name) => needOf(name) ?? []));
const settings = { postgres: { fsync: "off" }, redis: {}, nats: {} };
const backends = await Promise.all(
  [...needs].map(async (name) => [name, await provideBackend(name, { settings: settings[name] })] as const),
);
const urls = Object.fromEntries(backends.map(([name, { url }]) => [name, url]));
let failed = names.length === 0;
if (failed) process.stderr.write(`no pair has such a name\n\n${usage}`);
for (const pair of names) {
  say(`\n${pair}`);
  const against = values.against === "sources" ? "sources" : "build";
  const wrong = await lookForLeaks({ pair, urls, times, exitMs: Number(values["exit-ms"]), against, log: say });
  for (const each of wrong) say(`WRONG: ${each}`);
  if (wrong.length === 0) say("everything closed, it ended by itself");
  failed ||= wrong.length > 0;
}
for (const [, { server }] of backends) await server?.stop();
process.exitCode = failed ? 1 : 0;
