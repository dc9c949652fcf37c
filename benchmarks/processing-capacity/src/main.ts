import { fork } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { BackendMissingError, provideBackend, type Server } from "@chainwright/backends";
import { currentLoad, describeHost, isContended } from "./host.ts";
import type { RowFigures } from "./measure-row.ts";
import { formatReport } from "./report.ts";
import type { Row } from "./row.ts";
import { allRows } from "./rows/all.ts";
import type { Message, Request } from "./run-row.ts";
import type { ServerPlace, Servers } from "./servers.ts";
import { help, readSettings, type Settings } from "./settings.ts";

const asked = readSettings(process.argv.slice(2));
if (asked === undefined) console.log(help);
else await main(asked);

async function main(settings: Settings): Promise<void> {
  const host = describeHost();
  console.log(
    `${host.processor}, ${host.cores} cores, ${host.memoryGiB} GiB, ${host.system}, Node ${host.node}, ${host.commit}`,
  );
  console.log(
    `load before: ${host.load.toFixed(2)}${isContended(host.load) ? " (contended: compare shares and CPU, not rates)" : ""}`,
  );
  const runs: RowFigures[] = [];
  const failures: string[] = [];
  const provided = await provideServers(rowsOf(settings));
  try {
    for (const request of planned(settings, provided.servers)) {
      await measureInChild(request)
        .then((figures) => runs.push(figures))
        .catch((error: unknown) =>
          failures.push(`${request.name}: ${error instanceof Error ? error.message : String(error)}`),
        );
    }
  } finally {
    await provided[Symbol.asyncDispose]();
  }
  const loadAfter = currentLoad();
  if (runs.length > 0) console.log(formatReport(runs));
  console.log(`load after: ${loadAfter.toFixed(2)}`);
  for (const failure of failures) console.error(`not measured: ${failure}`);
  if (settings.json !== undefined)
    writeFileSync(settings.json, `${JSON.stringify({ host, loadAfter, settings, runs, failures }, undefined, 2)}\n`);
  if (runs.length === 0 || (settings.smoke && failures.length > 0)) process.exitCode = 1;
}

function rowsOf(settings: Settings): readonly Row[] {
  return allRows.filter(({ name }) => settings.rows.length === 0 || settings.rows.some((row) => name.includes(row)));
}

/** Finds or starts what the rows need. A server that is found nowhere is told by the rows that cannot do without it. */
async function provideServers(rows: readonly Row[]): Promise<{ readonly servers: Servers } & AsyncDisposable> {
  const names = new Set(rows.flatMap((row) => row.needs));
  const servers: Record<string, ServerPlace> = {};
  const started: Server[] = [];
  for (const name of names) {
    try {
      const { url, server } = await provideBackend(name);
      servers[name] = { url, pid: server?.pid };
      if (server !== undefined) started.push(server);
    } catch (error) {
      if (!(error instanceof BackendMissingError)) throw error;
    }
  }
  return {
    servers,
    [Symbol.asyncDispose]: async () => void (await Promise.all(started.map((server) => server.stop()))),
  };
}

/** Repeats are interleaved: what else the machine does then falls on all rows alike. */
function planned(settings: Settings, servers: Servers): readonly Request[] {
  return Array.from({ length: settings.repeat }).flatMap(() =>
    settings.backlogs.flatMap((backlog) => rowsOf(settings).map(({ name }) => ({ name, backlog, settings, servers }))),
  );
}

/** A process for each row: neither its garbage nor its compiled code is another one's. */
function measureInChild(request: Request): Promise<RowFigures> {
  const child = fork(fileURLToPath(new URL("run-row.ts", import.meta.url)), [], {
    execArgv: [...process.execArgv, "--expose-gc"],
  });
  const show = (step: string): void =>
    void (process.stderr.isTTY && process.stderr.write(`\r\u001b[K${request.name}: ${step}`));
  return new Promise<RowFigures>((resolve, reject) => {
    child.on("message", (message: Message) => {
      if ("progress" in message) show(message.progress);
      else if ("figures" in message) resolve(message.figures);
      else reject(new Error(message.failure));
    });
    child.on("exit", (code) => reject(new Error(`its process ended with status ${code}`)));
    child.send(request);
  }).finally(() => show("done\n"));
}
