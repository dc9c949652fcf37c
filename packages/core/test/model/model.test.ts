import { it } from "vitest";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";
import { checkModel } from "./check-model.ts";

/** `MODEL_RUNS=100000` makes a long run. */
const runs = Number(process.env["MODEL_RUNS"] ?? 300);

it("has the same replies and contents as the reference after random commands", { timeout: 3_600_000 }, () =>
  checkModel({ createAdapter: async () => createInProcessStateAdapter(), runs }),
);
