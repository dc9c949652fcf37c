/** Looks for leaks on every pair of adapters: `pnpm test:leaks [part of a pair's name]... [--against sources] [--scale 0.1]`. */
import { parseArgs } from "node:util";
import { provideBackend } from "@chainwright/backends";
import { lookForLeaks } from "./look-for-leaks.ts";
import { needOf, pairNames } from "./pairs.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { against: { type: "string", default: "build" }, scale: { type: "string", default: "1" } },
});
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
let failed = false;
for (const pair of names) {
  say(`\n${pair}`);
  const against = values.against === "sources" ? "sources" : "build";
  const wrong = await lookForLeaks({ pair, urls, times, exitMs: 2_000, against, tell: say });
  for (const each of wrong) say(`WRONG: ${each}`);
  if (wrong.length === 0) say("everything closed, it ended by itself");
  failed ||= wrong.length > 0;
}
for (const [, { server }] of backends) await server?.stop();
process.exitCode = failed ? 1 : 0;
