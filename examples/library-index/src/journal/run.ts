import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository, type Options } from "../options.ts";
import { showPath } from "../show-path.ts";
import { check } from "./check.ts";
import { openStore } from "./store.ts";

/** A message of the program to the demo. */
export type ProgramMessage =
  | { readonly kind: "found"; readonly files: number; readonly known: number }
  | { readonly kind: "acknowledged"; readonly ids: readonly string[] }
  | { readonly kind: "half-way" };

/** So many programs are killed, each in the step of this number. */
const stops = [20, 50];

/**
 * The demo without a database. With a journal the program, its worker and its store are one process, so all of it is killed and another
 * one opens the folder. Resolves with whether all checks passed.
 */
export async function runOnJournal(options: Options, signal: AbortSignal): Promise<boolean> {
  const below = mkdtempSync(join(realpathSync(tmpdir()), "chainwright-demo-"));
  const folder = join(below, "jobs");
  const library = options.folder ?? realpathSync(repository);
  console.log(`Journal: ${showPath(folder)}\nIndexing ${showPath(library)}`);
  const acknowledged = new Set<string>();
  const beganAt = performance.now();
  let killed = 0;
  for (const stop of [...stops, undefined]) {
    signal.throwIfAborted();
    const wasKilled = await runProgram({ folder, library, stop }, acknowledged, signal);
    if (!wasKilled) break;
    killed += 1;
    console.log("The program was killed with SIGKILL inside an open transaction: another one opens the folder.");
  }
  const seconds = (performance.now() - beganAt) / 1_000;
  const { client, close } = await openStore(folder);
  const { files, notes, right, wrong, lost, doubled } = await check(client, { library, acknowledged });
  await close();
  console.log(`
${files} files and ${notes} notes in ${seconds.toFixed(1)} s; programs killed: ${killed}
${acknowledged.size} starts were acknowledged
${right} of ${files} digests recomputed with the same result
${lost} lost, ${doubled} doubled, ${wrong} wrong`);
  const isRight = lost === 0 && doubled === 0 && wrong === 0;
  if (options.keep || !isRight)
    console.log(
      `\nThe journal is kept. To read it: npx @chainwright/cli --store journal:${showPath(folder)} chains list`,
    );
  else rmSync(below, { recursive: true });
  return isRight;
}

interface Program {
  readonly folder: string;
  readonly library: string;
  /** The step in which it stops, to be killed. Undefined: it runs to its end. */
  readonly stop: number | undefined;
}

/** Runs the program. Resolves with whether it was killed; rejects if it ended by itself and not well. */
async function runProgram(
  { folder, library, stop }: Program,
  acknowledged: Set<string>,
  signal: AbortSignal,
): Promise<boolean> {
  const child = fork(new URL("./program.ts", import.meta.url), [folder, library, String(stop ?? "")]);
  const kill = (): void => void child.kill("SIGKILL");
  signal.addEventListener("abort", kill);
  child.on("message", (message: ProgramMessage) => {
    if (message.kind === "half-way") kill();
    else if (message.kind === "acknowledged") for (const id of message.ids) acknowledged.add(id);
    else console.log(`${message.known} of ${message.files} files have their chains`);
  });
  const [code, ended] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  signal.removeEventListener("abort", kill);
  signal.throwIfAborted();
  if (ended === "SIGKILL") return true;
  if (code === 0) return false;
  throw new Error(`the program ended by itself, with ${ended ?? `status ${code}`}`);
}
