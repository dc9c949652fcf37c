import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { DeployFinding } from "chainwright/check";
import type { Call, Perform } from "../call.ts";
import { listed } from "../options.ts";
import type { Table } from "../output/output.ts";
import { counted, readInteger } from "../text/numbers.ts";
import { UsageError } from "../usage-error.ts";

interface Options {
  readonly sample: string;
  readonly elsewhere?: readonly string[] | undefined;
  readonly pool?: readonly string[] | undefined;
  readonly strict?: true | undefined;
}

export function addCheck(program: CommandUnknownOpts, perform: Perform): void {
  program
    .command("check")
    .description("Compare the job types of the configuration with the work in flight, before a deployment.")
    .option("--sample <count>", 'how many open jobs of each type are read, or "all"', "1000")
    .option("--elsewhere <types>", "job types whose workers belong to other programs", listed)
    .option("--pool <names>", "the pools that the new workers serve, besides jobs without a pool", listed)
    .option("--strict", "exit with 1 on warnings too")
    .action(async (options) => await perform(async (call) => await check(call, options)));
}

const findings: Table<DeployFinding> = {
  columns: [
    {
      name: "level",
      cell: ({ level }) => level,
      style: (level) => (level === "error" ? "red" : level === "warning" ? "yellow" : "dim"),
    },
    { name: "code", cell: ({ code }) => code },
    { name: "type", cell: ({ typeName }) => typeName },
    { name: "jobs", cell: ({ count }) => count, isNumber: true },
    { name: "found", cell: ({ message }) => message, isFlexible: true },
  ],
  json: ({ jobs, ...finding }) => ({ ...finding, jobs: jobs.map(({ id }) => id) }),
};

async function check(call: Call, options: Options): Promise<number> {
  const { out } = call;
  const store = await call.open();
  const { config } = store;
  if (config?.processors === undefined)
    throw new UsageError(
      "check compares the store with code: it needs --config FILE, or a chainwright.config.ts here, with client and processors",
    );
  const { checkDeploy } = await import("chainwright/check");
  const report = await checkDeploy({
    client: config.client,
    processors: config.processors,
    servedElsewhere: [...(config.servedElsewhere ?? []), ...(options.elsewhere ?? [])],
    pools: [null, ...(options.pool ?? [])],
    sample: options.sample === "all" ? "all" : readInteger(options.sample, "--sample", { min: 1, max: 1_000_000_000 }),
  });
  if (out.isTerminal) {
    for (const { level, code, message, jobs } of report.findings) {
      out.say(`${level}  ${code}: ${message}`, level === "error" ? "red" : level === "warning" ? "yellow" : "dim");
      if (jobs.length > 0) out.say(`       for example ${jobs.map(({ id }) => id).join(", ")}`);
    }
  } else out.rows(findings, report.findings);
  out.say(`${counted(report.readJobs, "job")} of ${report.openJobs.toLocaleString("en")} in flight read.`, "dim");
  const isWarned = report.findings.some(({ level }) => level === "warning");
  if (report.ok) out.say("This code can run them.", "green");
  return !report.ok || (isWarned && options.strict === true) ? 1 : 0;
}
