import { findBackend } from "@chainwright/backends/vitest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPostgresBench, createSqliteBench } from "../src/points/bench.ts";
import type { Bench } from "../src/points/bench.ts";
import { enumeratePoints } from "../src/points/enumerate.ts";
import { shapes } from "../src/points/shapes.ts";
import type { Accident } from "../src/points/tripwire.ts";

const url = await findBackend("postgres");
/** Every statement with `npm run test:accidents`. */
const stride = Number(process.env["ACCIDENT_STRIDE"] ?? 23);
const accidents = ["dies-before", "dies-after", "fails-before", "reply-lost"] as const;

describe.each([
  { store: "SQLite", open: createSqliteBench, skip: false },
  { store: "Postgres", open: () => createPostgresBench(url ?? ""), skip: url === undefined },
])("an accident at every statement on $store", ({ open, skip }) => {
  let bench: Bench<Accident>;
  beforeAll(async () => {
    if (!skip) bench = await open();
  });
  afterAll(async () => {
    if (!skip) await bench.close();
  });

  describe.skipIf(skip).each(accidents)("%s", (accident) => {
    it.for(shapes)("$name", { timeout: 600_000 }, async (shape, { annotate }) => {
      const { points, violations } = await enumeratePoints(bench, { shape, accident, stride });
      expect(violations).toEqual({});
      expect(points).toBeGreaterThan(0);
      await annotate(`${points} points`);
    });
  });
});
