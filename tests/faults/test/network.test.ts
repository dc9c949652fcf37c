import { findBackend } from "@chainwright/backends/vitest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNetworkBench } from "../src/points/bench.ts";
import type { Bench } from "../src/points/bench.ts";
import { enumeratePoints } from "../src/points/enumerate.ts";
import type { NetworkAccident } from "../src/points/network-postgres.ts";
import { shapes } from "../src/points/shapes.ts";

const url = await findBackend("postgres");
/** Every message with `npm run test:accidents`. */
const given = process.env["ACCIDENT_STRIDE"];
const strides = given === undefined ? { all: 127, exchanges: 31 } : { all: Number(given), exchanges: Number(given) };
const accidents = [
  { accident: "cut-before", stride: strides.all },
  { accident: "cut-after", stride: strides.all },
  { accident: "lose-reply", stride: strides.exchanges },
  { accident: "lose", stride: strides.all },
] as const;

describe.skipIf(url === undefined).each(["pg", "postgres.js"] as const)(
  "an accident at every message between %s and Postgres",
  (library) => {
    let bench: Bench<NetworkAccident>;
    beforeAll(async () => {
      bench = await createNetworkBench(url ?? "", library);
    });
    afterAll(() => bench.close());

    describe.each(accidents)("$accident", ({ accident, stride }) => {
      it.for(shapes)("$name", { timeout: 3_000_000 }, async (shape, { annotate }) => {
        const { points, violations } = await enumeratePoints(bench, { shape, accident, stride });
        expect(violations).toEqual({});
        expect(points).toBeGreaterThan(0);
        await annotate(`${points} points`);
      });
    });
  },
);
