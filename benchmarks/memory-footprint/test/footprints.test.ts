import { expect, it } from "vitest";
import { footprintsOf } from "../src/footprints.ts";

const footprint = { setUp: 1, inFlight: 2, retained: 0, code: 0 };
const growth = { perWaitingJob: 1, heapAtTenths: [1, 1], perJobProcessed: { perUnit: 0, error: 0 } };

it("puts the footprints of all processes of a row together, with its growth", () => {
  const second = { ...footprint, setUp: 3 };
  expect(
    footprintsOf([
      { name: "a", footprint },
      { name: "b", footprint },
      { name: "a", footprint: second },
      { name: "a", growth },
    ]),
  ).toEqual([
    { name: "a", footprints: [footprint, second], growth },
    { name: "b", footprints: [footprint], growth: undefined },
  ]);
});
