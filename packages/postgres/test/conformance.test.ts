import { describeOn, findBackend } from "@chainwright/backends/vitest";
import { vi } from "vitest";
import { openPgWithOddSettings } from "./clients.ts";
import { testStatePort } from "./port-suites.ts";

// What claims remember while an old snapshot is open. The other drivers run these cases with the number as it is.
vi.mock(import("../src/rules/many-skipped.ts"), () => ({ manySkipped: () => "10" }));

/** Here a claim has to say when to look from the beginning again, which is sooner than what these cases expect. */
const except = [
  "claim in order: skips jobs that others have locked, at every priority",
  "claim in order: reports when the next lease ends, at any priority",
  "pause: a pause changes no priority, order or due time",
];

const title =
  "state port, with pg, settings that round and rearrange what is read, and claims that remember where they begin";
describeOn(title, await findBackend("postgres"), (url) =>
  testStatePort(openPgWithOddSettings(url, 12), "pg", { except }),
);
