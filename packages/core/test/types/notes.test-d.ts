import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  defineJobTypes,
  type InProcessTransaction,
} from "chainwright";
import { expectTypeOf, it } from "vitest";
import { schema } from "./schema.ts";

const jobTypes = defineJobTypes<{
  "import.run": {
    entry: true;
    input: { file: string };
    output: { rows: number };
    checkpoint: { offset: number };
    progress: { percent: number };
  };
  "import.check": { entry: true; input: { file: string }; output: null; progress: number };
  "import.end": { entry: true; input: null; output: null };
}>();
const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes });

it("checkpoint and progress have the types that the definition declares, and the callback of once types its result", () => {
  createProcessors({
    client,
    jobTypes,
    processors: {
      "import.run": async ({ job, once, saveCheckpoint, progress, log }) => {
        expectTypeOf(job.checkpoint).toEqualTypeOf<{ offset: number } | undefined>();
        expectTypeOf(saveCheckpoint).parameter(0).toEqualTypeOf<{ offset: number }>();
        expectTypeOf(progress).parameter(0).toEqualTypeOf<{ percent: number }>();
        const upload = await once("upload", async ({ idempotencyKey }) => ({ id: 7, idempotencyKey }));
        expectTypeOf(upload).toEqualTypeOf<{ id: number; idempotencyKey: string }>();
        const invoice = await once("invoice", { tx: true }, async ({ tx }) => {
          expectTypeOf(tx).toEqualTypeOf<InProcessTransaction>();
          return "a";
        });
        expectTypeOf(invoice).toEqualTypeOf<string>();
        const none = await once("none", async () => {});
        expectTypeOf(none).toEqualTypeOf<void>();
        log.info("done", { rows: 1 });
        return { rows: upload.id };
      },
      "import.check": async (context) => {
        expectTypeOf(context.progress).parameter(0).toEqualTypeOf<number>();
        expectTypeOf(context).not.toHaveProperty("saveCheckpoint");
        expectTypeOf(context.job).not.toHaveProperty("checkpoint");
        return null;
      },
      "import.end": async (context) => {
        expectTypeOf(context).not.toHaveProperty("progress");
        await context.once("end", async () => 1);
        return null;
      },
    },
  });
});

it("with schemas a handler saves what the schema takes, and reads what it makes of it", () => {
  const withSchemas = defineJobTypes({
    "import.run": {
      entry: true,
      input: schema<null>(),
      output: schema<null>(),
      checkpoint: schema<{ at: string }, { at: Date }>(),
      progress: schema<number>(),
    },
  });
  createProcessors({
    client: createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes: withSchemas }),
    jobTypes: withSchemas,
    processors: {
      "import.run": async ({ job, saveCheckpoint, progress }) => {
        expectTypeOf(job.checkpoint).toEqualTypeOf<{ at: Date } | undefined>();
        expectTypeOf(saveCheckpoint).parameter(0).toEqualTypeOf<{ at: string }>();
        expectTypeOf(progress).parameter(0).toEqualTypeOf<number>();
        return null;
      },
    },
  });
});
