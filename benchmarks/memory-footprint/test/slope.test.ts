import { expect, it } from "vitest";
import { slopeOf } from "../src/slope.ts";

it("finds what each unit adds to values on a line, without an error", () => {
  const slope = slopeOf([10, 30, 50, 70], 100);
  expect(slope.perUnit).toBeCloseTo(0.2);
  expect(slope.error).toBeCloseTo(0);
});

it("reports an error that is larger than the slope of values that only vary", () => {
  const { perUnit, error } = slopeOf([1_000, 1_400, 900, 1_300, 1_000, 1_350, 950, 1_250], 100);
  expect(Math.abs(perUnit)).toBeLessThan(error);
});
