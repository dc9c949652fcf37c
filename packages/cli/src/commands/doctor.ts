import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { DoctorFinding } from "chainwright";
import type { Call, Perform } from "../call.ts";
import { confirm } from "../confirm.ts";
import { diagnose, readable } from "../doctor/diagnose.ts";
import type { Finding } from "../doctor/finding.ts";
import { dryRunFlag, yesFlag } from "../options.ts";
import type { Table } from "../output/output.ts";
import type { ErasedClient } from "chainwright/adapter";
import { counted } from "../text/numbers.ts";

interface Options {
  readonly deep?: true | undefined;
  readonly repair?: true | undefined;
  readonly strict?: true | undefined;
  readonly dryRun?: true | undefined;
  readonly yes?: true | undefined;
}

export function addDoctor(program: CommandUnknownOpts, perform: Perform): void {
  program
    .command("doctor")
    .description("Look for faults of the store and of the database under it, and say what to do.")
    .option("--deep", "also read every job, to compare counts, and check the whole SQLite file")
    .option("--repair", "repair what is safe to repair, after a question")
    .option("--strict", "exit with 1 on warnings too")
    .option(dryRunFlag[0], "with --repair: say what would be repaired, and change nothing")
    .option(...yesFlag)
    .action(async (options) => await perform(async (call) => await doctor(call, options)));
}

const findings: Table<Finding> = {
  columns: [
    {
      name: "level",
      cell: ({ level }) => level,
      style: (level) => (level === "red" ? "red" : level === "yellow" ? "yellow" : "green"),
    },
    { name: "check", cell: ({ check }) => check },
    { name: "found", cell: ({ problem }) => problem, isFlexible: true },
    { name: "what to do", cell: ({ remedy }) => remedy, isFlexible: true },
  ],
  json: (finding) => finding,
};

async function doctor(call: Call, options: Options): Promise<number> {
  const { out } = call;
  const store = await call.open();
  const isDeep = options.deep === true;
  const all = [
    ...(await diagnose(store, { isDeep })),
    ...(await readable("faults", async () => (await faultsOf(call, store.client, options)).map(asFinding))),
  ];
  if (out.isTerminal) printSentences(call, all);
  else out.rows(findings, all);
  const isRed = all.some(({ level }) => level === "red");
  const isYellow = all.some(({ level }) => level === "yellow");
  if (!isRed && !isYellow) out.say("No faults.", "green");
  return isRed || (isYellow && options.strict === true) ? 1 : 0;
}

/** The faults of the store; with `--repair` and a yes those that were repaired as well. */
async function faultsOf(call: Call, client: ErasedClient, options: Options): Promise<readonly DoctorFinding[]> {
  const isDeep = options.deep === true;
  const faults = await readFaults(client, { isDeep, repair: false });
  const repairable = faults.filter(({ status }) => status === "repairable").length;
  if (options.repair !== true || options.dryRun === true || repairable === 0) return faults;
  await confirm(call, `${counted(repairable, "fault")} can be repaired. Repair?`, options);
  return await readFaults(client, { isDeep, repair: true });
}

/** Sentences are read better below each other than in columns. */
function printSentences({ out }: Call, all: readonly Finding[]): void {
  for (const { level, check, problem, remedy } of all) {
    out.say(
      `${level.padEnd(6)}  ${check}: ${problem}`,
      level === "red" ? "red" : level === "yellow" ? "yellow" : "dim",
    );
    if (remedy !== "") out.say(`        ${remedy}`);
  }
}

async function readFaults(
  client: ErasedClient,
  { isDeep, repair }: { readonly isDeep: boolean; readonly repair: boolean },
): Promise<readonly DoctorFinding[]> {
  const checks = isDeep ? undefined : (["jobs", "leases", "blockers", "keys", "schema"] as const);
  const faults: DoctorFinding[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.doctor({ checks, repair, cursor });
    faults.push(...page.findings);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return faults;
}

function asFinding({ kind, id, problem, status, remedy }: DoctorFinding): Finding {
  return {
    check: kind,
    level: status === "repaired" ? "fixed" : "red",
    problem: `${problem} (${id})`,
    remedy: status === "repairable" ? `${remedy} (chainwright doctor --repair)` : remedy,
  };
}
