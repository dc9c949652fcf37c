import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";

/** Files that take longest, from the longest on: one that begins last would run alone at the end. */
const long = [
  "packages/dashboard/test/browser/dashboard",
  "packages/postgres/test/other-orms",
  "packages/postgres/test/other-drivers",
  "packages/sqlite/test/other-drivers",
  "packages/postgres/test/signal-races",
  "packages/postgres/test/pglite",
  "packages/postgres/test/postgres-js",
  "packages/gateway/test/conformance",
  "packages/sqlite/test/conformance",
  "tests/faults/test/last-release",
  "tests/faults/test/network",
  "packages/postgres/test/behaviour",
  "packages/postgres/test/conformance",
  "examples/workers/test/workers",
];

/** Begins with these files. A fresh clone does not know how long files take; otherwise the runner begins with large ones. */
export class LongTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = long.findIndex((each) => moduleId.endsWith(`/${each}.test.ts`));
      return place === -1 ? long.length : place;
    };
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}
