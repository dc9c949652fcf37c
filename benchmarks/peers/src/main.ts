import { readFileSync } from "node:fs";
import { finishRun, fromCommandLine, measureRun } from "@chainwright/bench-measuring";
import { allContenders } from "./contenders/all.ts";
import type { ContenderFigures } from "./measure-contender.ts";
import { formatReport } from "./report.ts";
import type { Request } from "./run-contender.ts";
import { help, readSettings, type Settings } from "./settings.ts";

const asked = fromCommandLine(readSettings);
if (asked === undefined) console.log(help);
else await main(asked);

async function main(settings: Settings): Promise<void> {
  const contenders = allContenders.filter(
    ({ name }) => settings.only.length === 0 || settings.only.some((part) => name.includes(part)),
  );
  const versions = versionsOfPeers();
  const measured = await measureRun<ContenderFigures>({
    settings,
    module: new URL("run-contender.ts", import.meta.url),
    needs: contenders.flatMap(({ needs }) => needs),
    // What Postgres does by itself: nothing acknowledged is lost.
    serverSettings: { redis: { appendonly: "yes", appendfsync: "always", "maxmemory-policy": "noeviction" } },
    notes: [
      Object.entries(versions).flat().join(" "),
      ...contenders.map(({ name, settings: set }) => `${name}: ${set.plain}; recommended: ${set.recommended}`),
    ],
    // Repeats are interleaved: what else the machine does then falls on all contenders alike.
    plan: (servers) =>
      Array.from({ length: settings.repeat }).flatMap(() =>
        contenders.map(({ name }) => ({ name, request: { name, settings, servers } satisfies Request })),
      ),
  });
  const shown = contenders.map(({ name, league, settings: set }) => ({ name, league, settings: set }));
  finishRun(measured, settings, {
    report: () => formatReport(contenders, measured.runs),
    results: { versions, contenders: shown },
  });
}

/** As this package pins them. */
function versionsOfPeers(): Readonly<Record<string, string>> {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const { dependencies } = JSON.parse(text) as { readonly dependencies: Readonly<Record<string, string>> };
  return Object.fromEntries(Object.entries(dependencies).filter(([, version]) => /^\d/.test(version)));
}
