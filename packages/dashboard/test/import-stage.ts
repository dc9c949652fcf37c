import { createClient, createInProcessStateAdapter, createProcessors, createWorker, defineJobTypes } from "chainwright";
import { createVirtualClock, type VirtualClock } from "chainwright/testing";
import { createDashboardAt } from "../src/create-dashboard.ts";
import type { Redact } from "../src/options.ts";
import type { Role } from "../src/protocol/actions.ts";

const jobTypes = defineJobTypes<{
  "customers.import": {
    entry: true;
    input: { file: string; parts: number };
    output: { imported: number };
    checkpoint: { offset: number; file: string };
    progress: { done: number; total: number };
  };
  "mail.send": { entry: true; input: { to: string }; output: null };
}>();

const partMs = 1_000;
const rowsInPart = 500;

function createImportClient(stateAdapter: InProcessState, clock: VirtualClock) {
  return createClient({ stateAdapter, jobTypes, clock, observers: [] });
}

type InProcessState = ReturnType<typeof createInProcessStateAdapter>;

function createImportProcessors(client: ReturnType<typeof createImportClient>, clock: VirtualClock) {
  const passing = (ms: number) => new Promise<void>((resolve) => void clock.setTimer(resolve, ms));
  return createProcessors({
    client,
    jobTypes,
    processors: {
      "customers.import": async ({ job, once, saveCheckpoint, progress, log }) => {
        const { file, parts } = job.input;
        const { table } = await once("create-table", async () => ({ table: `staging_${file}` }));
        await once("count-rows", async () => parts * rowsInPart);
        log.info(`import of ${file} begins`, { table });
        for (let part = 0; part < parts; part += 1) {
          await passing(partMs);
          const done = (part + 1) * rowsInPart;
          await saveCheckpoint({ offset: done, file });
          progress({ done, total: parts * rowsInPart });
          log.debug(`part ${part + 1} of ${parts}`, { offset: done });
          if (part % 7 === 3) log.warn("a row has no postcode; it is imported without one", { row: done - 11 });
          if (part % 13 === 8) log.error("the mirror did not respond; it is asked again later", { status: 503 });
        }
        return { imported: parts * rowsInPart };
      },
      "mail.send": async () => {
        await passing(3_600_000);
        return null;
      },
    },
  });
}

interface ImportOptions {
  readonly redact?: Redact;
  readonly basePath?: string;
  /** Called for each read of what jobs noted. */
  readonly onNotesRead?: () => void;
}

/** A long import that notes what it does: a part in each second. Another type notes nothing. */
export async function createImportStage({ redact, basePath = "/", onNotesRead = () => undefined }: ImportOptions = {}) {
  const clock = createVirtualClock({ startAt: Date.UTC(2026, 10, 20, 9, 30) });
  const stateAdapter = createInProcessStateAdapter({ clock });
  const counted: typeof stateAdapter = {
    ...stateAdapter,
    listNotes: async (query, options) => {
      onNotesRead();
      return await stateAdapter.listNotes(query, options);
    },
  };
  const client = createImportClient(counted, clock);
  const processors = createImportProcessors(client, clock);
  const worker = createWorker({ client, processors: [processors], name: "imports-1", concurrency: 40 });
  await worker.start();
  const dashboard = createDashboardAt(
    {
      client,
      basePath,
      redact,
      authorize: (request) => ({ role: (request.headers.get("x-test-role") ?? "viewer") as Role, name: "Ada" }),
    },
    clock,
  );
  return {
    clock,
    client,
    dashboard,
    async close() {
      const stopped = worker.stop({ timeoutMs: partMs });
      await clock.advance(60_000);
      await stopped;
      await client.close();
    },
  };
}
