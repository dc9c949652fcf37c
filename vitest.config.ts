import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongTestsFirst } from "./tooling/long-tests-first.ts";

const conditions = ["@chainwright/source"];

export default defineConfig({
  // Workspace packages resolve to their sources: no build before a test.
  resolve: { conditions: [...conditions, "module", "node", "default"] },
  ssr: { resolve: { conditions: [...conditions, "module", "node", "default"], externalConditions: conditions } },
  test: {
    // A limit for tests that hang, not a measure: other programs may use the machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Files that wait share a machine of two cores well; by default one core would stay idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: LongTestsFirst },
    // Starts Postgres, Redis and NATS for the suites that ask for them.
    globalSetup: "tests/backends/src/vitest-setup.ts",
    include: ["{packages,examples,benchmarks,tests}/*/test/**/*.test.ts", "{scripts,docs-site}/test/*.test.ts"],
    typecheck: {
      enabled: true,
      checker: "./node_modules/typescript7/bin/tsc",
      include: ["{packages,examples,benchmarks,tests}/*/test/**/*.test-d.ts"],
      tsconfig: "./tsconfig.json",
    },
  },
});
