import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  describeHost,
  headOf,
  inChild,
  provideServers,
  settleHost,
  showProgress,
  tailOf,
  writeResults,
} from "@chainwright/bench-measuring";
import { allContenders } from "./contenders/all.ts";
import type { ContenderFigures } from "./measure-contender.ts";
import { formatReport } from "./report.ts";
import type { Request } from "./run-contender.ts";
import { help, readSettings, type Settings } from "./settings.ts";

const module = fileURLToPath(new URL("run-contender.ts", import.meta.url));
const asked = readSettings(process.argv.slice(2));
if (asked === undefined) console.log(help);
else await main(asked);

async function main(settings: Settings): Promise<void> {
  await settleHost(settings.settleSeconds, showProgress);
  const host = describeHost();
  const versions = versionsOfPeers();
  console.log(headOf(host));
  console.log(Object.entries(versions).flat().join(" "));
  const contenders = allContenders.filter(
    ({ name }) => settings.only.length === 0 || settings.only.some((part) => name.includes(part)),
  );
  for (const { name, settings: set } of contenders)
    console.log(`${name}: ${set.plain}; recommended: ${set.recommended}`);
  const runs: ContenderFigures[] = [];
  const failures: string[] = [];
  const provided = await provideServers(
    contenders.flatMap(({ needs }) => needs),
    // What Postgres does by itself: nothing acknowledged is lost.
    { redis: { appendonly: "yes", appendfsync: "always", "maxmemory-policy": "noeviction" } },
  );
  try {
    for (let turn = 0; turn < settings.repeat; turn += 1)
      for (const { name } of contenders)
        await inChild<ContenderFigures>(
          module,
          { name, settings, servers: provided.servers } satisfies Request,
          (step) => showProgress(`${name}: ${step}`),
        )
          .then((figures) => runs.push(figures))
          .catch((error: unknown) =>
            failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`),
          );
  } finally {
    showProgress("");
    await provided[Symbol.asyncDispose]();
  }
  const { loadAfter, text } = tailOf();
  if (runs.length > 0) console.log(formatReport(contenders, runs));
  console.log(text);
  for (const failure of failures) console.error(`not measured: ${failure}`);
  const shown = contenders.map(({ name, league, settings: set }) => ({ name, league, settings: set }));
  writeResults({ host, loadAfter, versions, settings, contenders: shown, runs, failures });
  if (runs.length === 0 || (settings.smoke && failures.length > 0)) process.exitCode = 1;
}

/** As this package pins them. */
function versionsOfPeers(): Readonly<Record<string, string>> {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const { dependencies } = JSON.parse(text) as { readonly dependencies: Readonly<Record<string, string>> };
  return Object.fromEntries(Object.entries(dependencies).filter(([, version]) => /^\d/.test(version)));
}
