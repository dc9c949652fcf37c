import { createClient, createInProcessStateAdapter, defineJobTypes, defineLimits } from "chainwright";
import { expect, it } from "vitest";

const pass = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } } as const;
const jobTypes = defineJobTypes({ say: { entry: true, input: pass, output: pass } });
const breaker = { failures: 5, withinMs: 10_000, openMs: 60_000, counts: () => true };
const keys = { say: () => "all" };

/** What JavaScript code may write, which the compiler would refuse. */
const define = (options: unknown): unknown => Reflect.apply(defineLimits, undefined, [options]);
const limit = (options: object) => ({ jobTypes, limits: { all: { keys, ...options } } });

it.each([
  { options: undefined, says: "the options of defineLimits must be an object; got undefined." },
  { options: { jobTypes, limit: {} }, says: 'defineLimits has no option "limit"; it has jobTypes, limits.' },
  { options: { limits: {} }, says: "jobTypes must be an object; got undefined." },
  { options: { jobTypes }, says: "limits must be an object; got undefined." },
  {
    options: { jobTypes, limits: { "": { keys } } },
    says: 'the name of a limit must be a string of 1 to 100 characters without control characters; got "".',
  },
  { options: { jobTypes, limits: { all: 3 } }, says: 'the limit "all" must be an object; got a value of type number.' },
  {
    options: limit({ concurency: 1 }),
    says: 'the limit "all" has no option "concurency"; it has keys, concurrency, rate',
  },
  { options: limit({ keys: undefined }), says: 'keys of "all" must be an object; got undefined.' },
  { options: limit({ keys: {} }), says: 'keys of "all" must have a function for at least one job type; got none.' },
  {
    options: limit({ keys: { sya: () => "" } }),
    says: 'keys of "all" has "sya", which is not a job type of these slices.',
  },
  {
    options: limit({ keys: { say: "to" } }),
    says: 'the key of "say" in "all" must be a function of its input; got a value of type string.',
  },
  {
    options: limit({ concurrency: 0 }),
    says: 'concurrency of "all" must be at least 1; got 0. To let no job begin, use pauseLimit.',
  },
  { options: limit({ concurrency: 1.5 }), says: 'concurrency of "all" must be an integer from 1 to 1000000; got 1.5.' },
  { options: limit({ rate: 5 }), says: 'rate of "all" must be an object; got a value of type number.' },
  {
    options: limit({ rate: { count: 1, ms: 1 } }),
    says: 'rate of "all" has no option "ms"; it has count, perMs, spread.',
  },
  {
    options: limit({ rate: { count: 10_001, perMs: 1_000 } }),
    says: 'rate.count of "all" must be an integer from 1 to 10000; got 10001; to let as many begin, divide both',
  },
  {
    options: limit({ rate: { count: 1, perMs: 0 } }),
    says: 'rate.perMs of "all" must be a number of milliseconds above 0 and at most 2592000000; got 0.',
  },
  {
    options: limit({ rate: { count: 1, perMs: 1, spread: 1 } }),
    says: 'rate.spread of "all" must be true or false; got a value of type number.',
  },
  {
    options: limit({ weight: 3 }),
    says: 'weight of "all" must be a function that returns the weight of a key; got a value of type number.',
  },
  {
    options: limit({ whileRetrying: "wait" }),
    says: 'whileRetrying of "all" must be "hold" or be left out; got a value of type string.',
  },
  {
    options: limit({ whileRetrying: "hold" }),
    says: '"all" has whileRetrying: "hold" and no concurrency, so there is no place to hold',
  },
  { options: limit({ breaker: 5 }), says: 'breaker of "all" must be an object; got a value of type number.' },
  {
    options: limit({ breaker }),
    says: '"all" has a breaker and neither concurrency nor rate, so its keys only take turns; add one of the two.',
  },
  {
    options: limit({ concurrency: 1, breaker: { ...breaker, failures: 0 } }),
    says: 'failures of the breaker of "all" must be an integer from 1 to 1000; got 0.',
  },
  {
    options: limit({ concurrency: 1, breaker: { ...breaker, openMs: 0 } }),
    says: 'openMs of the breaker of "all" must be a number of milliseconds above 0 and at most 2592000000; got 0.',
  },
  {
    options: limit({ concurrency: 1, breaker: { ...breaker, withinMs: Infinity } }),
    says: 'withinMs of the breaker of "all" must be a number of milliseconds above 0 and at most 2592000000; got Infinity.',
  },
  {
    options: limit({ concurrency: 1, breaker: { ...breaker, counts: true } }),
    says: 'counts of the breaker of "all" must be a function that returns whether an error counts; got a value of type boolean.',
  },
  {
    options: limit({ concurrency: 1, breaker: { ...breaker, opens: 1 } }),
    says: 'breaker of "all" has no option "opens"; it has failures, withinMs, openMs, counts.',
  },
  {
    options: { jobTypes, limits: Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [name, { keys }])) },
    says: '"say" may be under at most 4 limits; got 5: a, b, c, d, e.',
  },
])("defineLimits refuses $says", ({ options, says }) => {
  expect(() => define(options)).toThrow(
    expect.objectContaining({ code: "invalid-input", message: expect.stringContaining(says) }),
  );
});

it("limits of types alone are not compared with names, because these do not exist at run time", () => {
  const named = defineJobTypes<{ "mail.send": { entry: true; input: { to: string }; output: null } }>();
  const { limits } = defineLimits({
    jobTypes: [named, jobTypes],
    limits: { all: { keys: { "mail.send": ({ to }) => to } } },
  });
  expect(limits).toMatchObject([{ name: "all", rule: { concurrency: undefined, rate: undefined }, holds: false }]);
});

it("a client refuses limits of a type that it does not have, two limits of one name, and too many on a type", () => {
  const create = (options: object): unknown =>
    Reflect.apply(createClient, undefined, [{ stateAdapter: createInProcessStateAdapter(), ...options }]);
  const other = defineJobTypes({ hear: { entry: true, input: pass, output: pass } });
  const ofOther = defineLimits({ jobTypes: other, limits: { ear: { keys: { hear: () => "all" } } } });
  const four = defineLimits({ jobTypes, limits: { a: { keys }, b: { keys }, c: { keys }, d: { keys } } });
  const fifth = defineLimits({ jobTypes, limits: { e: { keys } } });
  expect(() => create({ jobTypes, limits: [ofOther] })).toThrow(
    expect.objectContaining({
      code: "invalid-input",
      message: expect.stringContaining('limits has "hear", which is not a job type'),
    }),
  );
  expect(() => create({ jobTypes, limits: [fifth, fifth] })).toThrow(
    expect.objectContaining({
      code: "duplicate-limit",
      message: expect.stringContaining('the limit "e" is defined by two'),
    }),
  );
  expect(() => create({ jobTypes, limits: [four, fifth] })).toThrow(
    expect.objectContaining({
      code: "invalid-input",
      message: '"say" may be under at most 4 limits; got 5: a, b, c, d, e.',
    }),
  );
  expect(() => create({ jobTypes, limits: four })).toThrow(
    "limits must be an array of values that defineLimits returned",
  );
  create({ jobTypes: [jobTypes, other], limits: [ofOther, four] });
});
