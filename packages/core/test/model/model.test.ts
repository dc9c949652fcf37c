import { it } from "vitest";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";
import { checkModel } from "./check-model.ts";

/** `MODEL_RUNS=100000` for a long one. */
const runs = Number(process.env["MODEL_RUNS"] ?? 300);

it("says and holds what the reference does, whatever is done to it", { timeout: 3_600_000 }, () =>
  checkModel({ createAdapter: async () => createInProcessStateAdapter(), runs }),
);
