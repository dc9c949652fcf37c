import { oneSlice, type Slice } from "../job-type.ts";
import { application } from "./application.ts";
import { blocked } from "./blocked.ts";
import { branched } from "./branched.ts";
import { linear } from "./linear.ts";
import { structuralAll, structuralOne } from "./structural.ts";
import { looped } from "./looped.ts";

/** A generated program. */
export interface Scenario {
  readonly name: string;
  readonly slices: readonly Slice[];
  /** Whether each type has two versions of its input. */
  readonly versioned?: boolean;
  /** Whether chains and jobs of any type are read as well, which makes unions of all of them. */
  readonly unnarrowed?: boolean;
}

/** So many slices of 50 types each, joined in one client. */
function merged(slices: number): readonly Slice[] {
  return Array.from({ length: slices }, (_, index) => ({
    name: `slice${index}`,
    types: linear(50, `s${index}-`),
    external: undefined,
  }));
}

export const scenarios: readonly Scenario[] = [
  ...[1, 10, 50, 100, 500].map((steps) => ({ name: `linear ${steps}`, slices: oneSlice(linear(steps)) })),
  { name: "signals 100", slices: oneSlice(linear(100).map((type) => ({ ...type, signals: !type.entry }))) },
  { name: "versioned 50", slices: oneSlice(linear(50)), versioned: true },
  { name: "branched 4 x 3", slices: oneSlice(branched(4, 3)) },
  { name: "branched 2 x 6", slices: oneSlice(branched(2, 6)) },
  ...[8, 25].map((steps) => ({ name: `blockers ${steps}`, slices: oneSlice(blocked(steps)) })),
  ...[20, 50].map((steps) => ({ name: `loop ${steps}`, slices: oneSlice(looped(steps)) })),
  ...[2, 5, 10, 20, 50].map((slices) => ({ name: `merge ${slices} x 50`, slices: merged(slices) })),
  ...[100, 400, 800].map((types) => ({ name: `structural ${types} to all`, slices: oneSlice(structuralAll(types)) })),
  ...[25, 100].map((types) => ({ name: `structural ${types} to one`, slices: oneSlice(structuralOne(types)) })),
  { name: "application", slices: application(40), unnarrowed: true },
];

/** Instantiations that another library with typed chains publishes; none for the application, which only this repository has. */
export const published: Readonly<Record<string, number>> = {
  "linear 1": 20_644,
  "linear 10": 30_481,
  "linear 50": 72_081,
  "linear 100": 124_081,
  "branched 4 x 3": 104_856,
  "branched 2 x 6": 148_556,
  "blockers 8": 54_136,
  "blockers 25": 160_488,
  "loop 20": 44_654,
  "loop 50": 79_964,
  "merge 2 x 50": 128_242,
  "merge 5 x 50": 281_574,
  "merge 10 x 50": 537_404,
  "merge 20 x 50": 1_049_169,
  "merge 50 x 50": 2_589_554,
};

export function countTypes(scenario: Scenario): number {
  return scenario.slices.reduce((sum, slice) => sum + slice.types.length, 0);
}
