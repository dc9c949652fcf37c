import { testCases } from "@chainwright/backends/vitest";
import { processConformance } from "@chainwright/conformance";
import { describe } from "vitest";
import { databasePath, openStore } from "./store.ts";

const cases = processConformance({
  program: new URL("fixtures/store-process.ts", import.meta.url),
  nodeFlags: ["--conditions=@chainwright/source", "--experimental-strip-types", "--no-warnings"],
  async createStore() {
    const store = databasePath();
    const stateAdapter = openStore({ path: store });
    await stateAdapter.migrate();
    return { store, stateAdapter, close: async () => {} };
  },
});

describe("a file that processes share", () => {
  testCases(cases);
});
