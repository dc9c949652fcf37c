import type { BackendName } from "@chainwright/backends";
import { inChild } from "./child.ts";
import { describeHost, headOf, settleHost, tailOf, type Host } from "./host.ts";
import { showProgress } from "./progress.ts";
import { provideServers, type Servers } from "./servers.ts";
import { writeResults } from "./write-results.ts";

/** What the command lines of the tools have in common. */
export interface RunSettings {
  /** How long to wait, at most, for a busy host to settle. */
  readonly settleSeconds: number;
  readonly json: string | undefined;
  readonly smoke: boolean;
}

/** One measurement in a process of its own: its name in messages, and what that process receives. */
export interface Order {
  readonly name: string;
  readonly request: object;
}

interface Run {
  readonly settings: RunSettings;
  /** The module of the processes; it calls `answerParent`. */
  readonly module: URL;
  readonly needs: readonly BackendName[];
  /** Of servers that are started for the run. */
  readonly serverSettings?: { readonly [Name in BackendName]?: Readonly<Record<string, string>> };
  /** Printed before the first measurement. */
  readonly notes?: readonly string[];
  plan(servers: Servers): readonly Order[];
}

/** What a run has measured, and the measurements that failed. */
export interface Measured<Figures> {
  readonly host: Host;
  readonly runs: readonly Figures[];
  readonly failures: readonly string[];
}

/** Provides the servers and carries out the orders, one after the other. An order that fails does not end the run. */
export async function measureRun<Figures>(run: Run): Promise<Measured<Figures>> {
  await settleHost(run.settings.settleSeconds, showProgress);
  const host = describeHost();
  for (const line of [headOf(host), ...(run.notes ?? [])]) console.log(line);
  const provided = await provideServers(run.needs, run.serverSettings);
  try {
    return { host, ...(await carryOut<Figures>(run.module, run.plan(provided.servers))) };
  } finally {
    showProgress("");
    await provided[Symbol.asyncDispose]();
  }
}

async function carryOut<Figures>(module: URL, orders: readonly Order[]): Promise<Omit<Measured<Figures>, "host">> {
  const runs: Figures[] = [];
  const failures: string[] = [];
  for (const [index, { name, request }] of orders.entries()) {
    const place = `${index + 1} of ${orders.length}, ${name}`;
    await inChild<Figures>(module, request, (step) => showProgress(`${place}: ${step}`))
      .then((figures) => runs.push(figures))
      .catch((error: unknown) => failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`));
  }
  return { runs, failures };
}

/** Prints the report and the failures, writes the results, and sets the exit code. */
export function finishRun(
  { host, runs, failures }: Measured<unknown>,
  settings: RunSettings,
  shown: { report(): string; readonly results?: object },
): void {
  const { loadAfter, text } = tailOf();
  if (runs.length > 0) console.log(shown.report());
  console.log(text);
  for (const failure of failures) console.error(`not measured: ${failure}`);
  writeResults({ host, loadAfter, settings, ...shown.results, runs, failures });
  if (runs.length === 0 || (settings.smoke && failures.length > 0)) process.exitCode = 1;
}
