import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { runProgram } from "./run.ts";

const slowestMs = 60_000;

/** Uses the installed program as a person does: each store command once in a shell, then the development server of a newcomer. */
export async function useCommandLine(project: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const program = join(project, "node_modules/.bin/chainwright");
  const environment = { CHAINWRIGHT_STORE: "sqlite:./jobs.db", CW: program };
  const shell = (command: string): string =>
    runProgram("bash", ["-c", `set -o pipefail; ${command}`], { cwd: folder, silent: true, environment });
  shell('"$CW" --help && "$CW" migrate --dry-run && test ! -e jobs.db && "$CW" migrate');
  const id = shell(`"$CW" start mail.send '{"to":"ada"}'`).trim();
  const first = shell('"$CW" chains list | head -1');
  if (!first.startsWith(`${id}\tmail.send\tactive\t`))
    throw new Error(`chains list must begin with ${id}; got ${first}`);
  for (const command of ["types", "workers", "limits", "schedules", "jobs list", "doctor", "completion bash"]) {
    shell(`"$CW" ${command}`);
  }
  shell(`"$CW" chains show ${id} && "$CW" chains cancel ${id} && "$CW" chains retry ${id} --dry-run`);
  const tookMs = await untilNewcomerSees(program, join(folder, "empty"));
  if (tookMs > slowestMs) throw new Error(`a newcomer must see a chain within a minute; it took ${tookMs} ms`);
  console.log(`the command line: used; a newcomer sees a chain that has run after ${Math.round(tookMs)} ms`);
}

/** Runs `dev` in an empty folder, opens its link, and waits for a chain that has completed. */
async function untilNewcomerSees(program: string, folder: string): Promise<number> {
  mkdirSync(folder);
  const begun = performance.now();
  const child = spawn(program, ["--json", "dev"], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(child, "close");
  try {
    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    const { dashboard } = JSON.parse(line) as { readonly dashboard: string };
    const signedIn = await fetch(dashboard, { redirect: "manual" });
    const headers = { cookie: signedIn.headers.get("set-cookie")?.split(";")[0] ?? "" };
    while (performance.now() - begun < slowestMs) {
      const chains = await (await fetch(new URL("/-/chains", dashboard), { headers })).text();
      if (chains.includes('"completed"')) break;
    }
    return performance.now() - begun;
  } finally {
    child.kill("SIGINT");
    await ended;
  }
}
