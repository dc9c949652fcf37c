import { openSmallDisk } from "@chainwright/backends/small-disk";
import type { Scale } from "./attack/plan.ts";
import { runAttack, type BackendName } from "./attack/run.ts";
import { runFailover } from "./failover/run-failover.ts";
import { readOptions, usage, type Options } from "./options.ts";
import { report } from "./report.ts";

const smallDiskMegabytes = 400;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function attack(backend: BackendName, scale: Scale, { seed, against, fullDisk }: Options): Promise<boolean> {
  const disk = fullDisk ? openSmallDisk(smallDiskMegabytes) : undefined;
  if (fullDisk && disk === undefined) {
    print(`\n${backend}: skipped, because a small disk needs Linux and the right to mount`);
    return true;
  }
  print(`\n${backend}${fullDisk ? ", on a disk that gets full" : ""}, seed ${seed}`);
  const startedAt = performance.now();
  try {
    const { text, clean } = report(await runAttack({ backend, disk, scale, seed, against, log: print }));
    print(`${text}\nafter ${Math.round((performance.now() - startedAt) / 1_000)} s`);
    return clean;
  } finally {
    disk?.close();
  }
}

async function run(options: Options): Promise<boolean> {
  let isClean = true;
  for (const { backend, scale } of options.attacks) isClean = (await attack(backend, scale, options)) && isClean;
  if (options.failover === undefined) return isClean;
  print("\npostgres-failover");
  return (await runFailover({ ...options.failover, log: print })) && isClean;
}

function read(): Options | "help" | undefined {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return undefined;
  }
}

const options = read();
if (options === "help") process.stdout.write(usage);
else process.exitCode = options === undefined ? 2 : (await run(options)) ? 0 : 1;
