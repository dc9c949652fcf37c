import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";

/** Files that take longest, from the longest on: one that begins last would run alone at the end. */
export const longTests = [
  "packages/dashboard/test/browser/dashboard.test.ts",
  "packages/postgres/test/other-orms.test.ts",
  "packages/postgres/test/other-drivers.test.ts",
  "packages/sqlite/test/other-drivers.test.ts",
  "packages/postgres/test/signal-races.test.ts",
  "packages/postgres/test/pglite.test.ts",
  "packages/postgres/test/postgres-js.test.ts",
  "packages/gateway/test/conformance.test.ts",
  "packages/sqlite/test/conformance.test.ts",
  "tests/faults/test/last-release.test.ts",
  "tests/faults/test/network.test.ts",
  "packages/postgres/test/behaviour.test.ts",
  "packages/postgres/test/conformance.test.ts",
  "examples/workers/test/workers.test.ts",
];

/** Begins with these files. A fresh clone does not know how long files take; otherwise the runner begins with large ones. */
export class LongTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = longTests.findIndex((file) => moduleId.endsWith(`/${file}`));
      return place === -1 ? longTests.length : place;
    };
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}
