/** What the journal costs and holds, beside the other stores: see the README. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildSlowSync, finishRun, measureRun, wholeNumber } from "@chainwright/bench-measuring";
import { nameOfStarts, storeNames, type Order, type Reading } from "./order.ts";
import { formatReport } from "./report.ts";

const help = `Measures the journal beside the in-process store, SQLite and a bare append loop, interleaved in one run.

  npm run bench:journal -- [options]

  --only TEXT        measurements by a part of their name: "starts", "100 callers", "value", "open"
  --repeat N         runs, interleaved (3)
  --folder DIR       where the stores are (a new folder in the temporary one); its disk is what is measured
  --settle SECONDS   wait at most this long for a busy host; then measure anyway, and report it (0)
  --json FILE        write everything measured
  --smoke            a few jobs of each: does the tool still run?
  --help`;

const { values } = parseArgs({
  args: process.argv.slice(2).filter((arg) => arg !== "--"),
  options: {
    only: { type: "string", default: "" },
    repeat: { type: "string" },
    folder: { type: "string", default: tmpdir() },
    settle: { type: "string", default: "0" },
    json: { type: "string" },
    smoke: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) console.log(help);
else await main(values.smoke);

async function main(smoke: boolean): Promise<void> {
  const folder = mkdtempSync(join(values.folder, "chainwright-journal-"));
  const repeat = wholeNumber(values.repeat ?? (smoke ? "1" : "3"), "--repeat");
  const settings = { smoke, json: values.json, settleSeconds: wholeNumber(values.settle, "--settle"), repeat };
  const slow = slowSync();
  try {
    const measured = await measureRun<Reading>({
      settings,
      module: new URL("measure-process.ts", import.meta.url),
      needs: [],
      notes: [slow.note],
      plan: () =>
        Array.from({ length: repeat }).flatMap((_, run) =>
          ordersOf({ smoke, folder: join(folder, `run-${run}`), run }, slow.isThere)
            .filter(({ name }) => name.includes(values.only))
            .map(({ name, order }) => ({ name, request: order })),
        ),
    });
    finishRun(measured, settings, { report: () => formatReport(measured.runs, settings) });
  } finally {
    slow.remove();
    rmSync(folder, { recursive: true });
  }
}

type Named = { readonly name: string; readonly order: Order };

/** One run: each number of callers on all stores in turn, so that other work on the machine falls on all alike. */
function ordersOf(of: Pick<Order, "smoke" | "folder" | "run">, hasSlowSync: boolean): readonly Named[] {
  const starts = [1, 10, 50, 100].flatMap((callers) =>
    (hasSlowSync ? [0, 4] : [0]).flatMap((syncMs) =>
      storesAt(syncMs).map((store): Named => ({
        name: nameOfStarts(store, callers, syncMs),
        order: { ...of, what: "starts", store, callers, syncMs },
      })),
    ),
  );
  const value = storeNames.map((store): Named => ({ name: `value, ${store}`, order: { ...of, what: "value", store } }));
  const others = (["syncs", "fill", "open", "snapshot"] as const).map((what): Named => ({
    name: what === "syncs" ? what : `large, ${what}`,
    order: { ...of, what },
  }));
  return [...starts, ...value, ...others];
}

/** Only what waits for the disk is measured on a slow one. */
function storesAt(syncMs: number) {
  return syncMs === 0 ? ([...storeNames, "append loop"] as const) : (["journal, full", "append loop"] as const);
}

/** A library that makes the syncs of the processes slow when they ask for it, where it can be built. */
function slowSync(): { readonly isThere: boolean; readonly note: string; remove(): void } {
  try {
    const { folder, environment } = buildSlowSync(0);
    Object.assign(process.env, environment);
    return {
      isThere: true,
      note: `"sync + 4 ms": each sync takes 4 ms longer, by a library that is preloaded into all processes`,
      remove: () => {
        rmSync(folder, { recursive: true });
      },
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { isThere: false, note: `no figures with slow syncs: ${why}`, remove: () => {} };
  }
}
