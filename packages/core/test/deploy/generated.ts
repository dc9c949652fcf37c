import {
  createClient,
  createProcessors,
  createWorker,
  defineJobTypes,
  type AnyClient,
  type Processors,
  type StateAdapter,
  type Worker,
} from "chainwright";
import type { VirtualClock } from "chainwright/testing";
import * as fc from "fast-check";

/** A job type of a generated program. Its values are `{ v, n }`, where `v` is the version in which a value was written. */
export interface GeneratedType {
  readonly isHandled: boolean;
  readonly inputVersion: number;
  readonly outputVersion: number;
  /** A property that its schema asks for besides. */
  readonly asksFor: string | undefined;
  /** The step to the newest version of which value throws. */
  readonly breaks: "input" | "output" | undefined;
  readonly next: string | undefined;
  /** The type of a chain that blocks it. */
  readonly blocker: string | undefined;
  readonly pool: string | undefined;
}

export interface Program {
  readonly types: Readonly<Record<string, GeneratedType>>;
  readonly pools: readonly (string | null)[];
}

export const names = ["a", "b", "c", "d", "e"];

/** Each type may continue with a later one, and wait for one. */
export const program: fc.Arbitrary<Program> = fc.tuple(...names.map((_, at) => typeAt(at))).map((types) => ({
  types: Object.fromEntries(types.map((type, at) => [names[at] ?? "", type])),
  pools: [null, "p"],
}));

function typeAt(at: number): fc.Arbitrary<GeneratedType> {
  const later = fc.constantFrom(undefined, ...names.slice(at + 1));
  const version = fc.constantFrom(1, 1, 2, 3);
  return fc.record({
    isHandled: fc.constant(true),
    inputVersion: version,
    outputVersion: version,
    asksFor: fc.constant(undefined),
    breaks: fc.constant(undefined),
    next: later,
    blocker: later,
    pool: fc.constantFrom(undefined, undefined, "p"),
  });
}

/** What a deployment does to a program: nothing, or one change of one type or of the pools. */
export const change = fc.record({
  typeName: fc.constantFrom(...names),
  kind: fc.constantFrom(
    "nothing" as const,
    "remove the processor" as const,
    "rename a field" as const,
    "drop an input version" as const,
    "drop an output version" as const,
    "add a version" as const,
    "add an input version that throws" as const,
    "add an output version that throws" as const,
    "drop a pool" as const,
  ),
});

export type Change = typeof change extends fc.Arbitrary<infer Of> ? Of : never;

export function changed({ types, pools }: Program, { typeName, kind }: Change): Program {
  const type = types[typeName];
  if (type === undefined || kind === "nothing") return { types, pools };
  if (kind === "drop a pool") return { types: mapped(types, (each) => ({ ...each, pool: undefined })), pools: [null] };
  const { inputVersion, outputVersion } = type;
  const changes: Readonly<Record<Exclude<Change["kind"], "nothing" | "drop a pool">, Partial<GeneratedType>>> = {
    "remove the processor": { isHandled: false },
    "rename a field": { asksFor: "renamed" },
    "drop an input version": { inputVersion: Math.max(1, inputVersion - 1) },
    "drop an output version": { outputVersion: Math.max(1, outputVersion - 1) },
    "add a version": { inputVersion: inputVersion + 1, outputVersion: outputVersion + 1 },
    "add an input version that throws": { inputVersion: inputVersion + 1, breaks: "input" },
    "add an output version that throws": { outputVersion: outputVersion + 1, breaks: "output" },
  };
  return { types: { ...types, [typeName]: { ...type, ...changes[kind] } }, pools };
}

/** The program as code on a store. */
export interface Deployment {
  readonly client: AnyClient;
  readonly processors: readonly Processors[];
  start(typeName: string, n: number): Promise<void>;
  createWorker(typeNames: readonly string[]): Worker;
}

interface GeneratedClient extends AnyClient {
  startChain(options: object): Promise<unknown>;
}

/* Which types a program has is known at run time only, so the compiler is told nothing about them. */
const [define, create, process, work] = [defineJobTypes, createClient, createProcessors, createWorker] as never as [
  (definitions: object) => object,
  (options: object) => GeneratedClient,
  (options: object) => Processors,
  (options: object) => Worker,
];

export function deploy({ types, pools }: Program, stateAdapter: StateAdapter, clock: VirtualClock): Deployment {
  const jobTypes = define(mapped(types, definitionOf));
  const versions = [{ inputs: mapped(types, inputSteps), outputs: mapped(types, outputSteps), writes: {} }];
  const client = create({ stateAdapter, jobTypes, clock, versions, observers: [] });
  const handled = Object.fromEntries(Object.entries(types).filter(([, { isHandled }]) => isHandled));
  const handlers = mapped(handled, (type) => handlerOf(type, types));
  const processors = [process({ client, jobTypes, processors: handlers })];
  return {
    client,
    processors,
    start: async (typeName, n) => {
      await client.startChain({ ...startOf(typeName, types, n), ...blockersOf(typeName, types, n) });
    },
    createWorker: (typeNames) => work({ client, processors, pools, types: typeNames }),
  };
}

function mapped<T, U>(values: Readonly<Record<string, T>>, map: (value: T) => U): Readonly<Record<string, U>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}

interface Value {
  readonly v: number;
  readonly n: number;
}

function definitionOf({ inputVersion, asksFor, next, blocker }: GeneratedType) {
  const validate = (value: object) => {
    const fits = Reflect.get(value, "v") === inputVersion && (asksFor === undefined || asksFor in value);
    return fits ? { value } : { issues: [{ message: "is wrong" }] };
  };
  const anything = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } };
  return {
    entry: true,
    input: { "~standard": { version: 1, vendor: "test", validate } },
    output: anything,
    continueWith: next === undefined ? [] : [next],
    blockers: blocker === undefined ? [] : [blocker],
  };
}

function inputSteps({ inputVersion, breaks }: GeneratedType) {
  return stepsTo(inputVersion, breaks === "input");
}

function outputSteps({ outputVersion, breaks }: GeneratedType) {
  return stepsTo(outputVersion, breaks === "output");
}

function stepsTo(newest: number, isBroken: boolean) {
  const steps = Array.from({ length: newest - 1 }, (_, at) => ({
    up: (value: Value) => {
      if (isBroken && at === newest - 2) throw new Error("the step is broken");
      return { ...value, v: value.v + 1 };
    },
    back: undefined,
  }));
  return { steps };
}

/** A start as the program writes it today. */
function startOf(typeName: string, types: Program["types"], n: number): object {
  const { inputVersion: v, asksFor, pool } = types[typeName] ?? {};
  return { typeName, input: { v, n, ...(asksFor !== undefined && { [asksFor]: true }) }, pool };
}

function blockersOf(typeName: string, types: Program["types"], n: number): object {
  const blocker = types[typeName]?.blocker;
  return blocker === undefined ? {} : { blockers: [startOf(blocker, types, n)] };
}

interface Context {
  readonly job: {
    readonly input: Value;
    readonly blockers?: readonly { readonly typeName: string; readonly output: Value }[];
  };
  readonly continueWith: (options: object) => unknown;
}

/** Fails if it is given anything but values of the newest versions. */
function handlerOf({ next, inputVersion, outputVersion }: GeneratedType, types: Program["types"]) {
  return async ({ job: { input, blockers = [] }, continueWith }: Context): Promise<unknown> => {
    if (input.v !== inputVersion) throw new Error("the input is of another version");
    for (const { output } of blockers) if (typeof output.v !== "number") throw new Error("a blocker has no output");
    if (next === undefined) return { v: outputVersion, n: input.n };
    const pool = types[next]?.pool ?? null;
    return continueWith({ ...startOf(next, types, input.n), pool, ...blockersOf(next, types, input.n) });
  };
}
