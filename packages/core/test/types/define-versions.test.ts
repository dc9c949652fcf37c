import {
  createClient,
  createInProcessStateAdapter,
  createProcessors,
  createWorker,
  defineJobTypes,
  defineVersions,
  stored,
} from "chainwright";
import { expect, it } from "vitest";

const pass = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } } as const;
const jobTypes = defineJobTypes({ say: { entry: true, input: pass, output: pass } });
const two = stored<string>().then((v1) => ({ text: v1 }));

/** What JavaScript code may write, which the compiler would refuse. */
const define = (options: unknown): unknown => Reflect.apply(defineVersions, undefined, [options]);

it.each([
  { options: undefined, says: "the options of defineVersions must be an object; got undefined." },
  { options: { jobTypes, input: {} }, says: 'defineVersions has no option "input"' },
  { options: { inputs: {} }, says: "jobTypes must be an object; got undefined." },
  { options: { jobTypes, inputs: { sya: two } }, says: 'inputs has "sya", which is not a job type of the slice.' },
  {
    options: { jobTypes, inputs: { say: 3 } },
    says: 'inputs of "say" must begin with stored<...>(); got a value of type number.',
  },
  { options: { jobTypes, outputs: { say: null } }, says: 'outputs of "say" must begin with stored<...>(); got null.' },
  { options: { jobTypes, writes: { say: 1 } }, says: 'writes has "say", which has no versions of its input.' },
  {
    options: { jobTypes, inputs: { say: two }, writes: { say: 3 } },
    says: 'writes of "say" must be a version from 1 to 2; got 3.',
  },
  {
    options: { jobTypes, inputs: { say: two }, writes: { say: 1 } },
    says: 'version 1 of "say" cannot be written: version 2 has no back; pass it to .then(up, { back }).',
  },
])("defineVersions refuses $says", ({ options, says }) => {
  expect(() => define(options)).toThrow(
    expect.objectContaining({ code: "invalid-input", message: expect.stringContaining(says) }),
  );
});

it("a version is a function that makes it, and stored<T>() is not a promise", async () => {
  const then = (...args: unknown[]): unknown => Reflect.apply(two.then, two, args);
  expect(() => then(3)).toThrow("then must have a function that makes the next version; got number");
  expect(() => then(String, { back: 3 })).toThrow("back must be a function; got number");
  expect(() => then(String, { bakc: String })).toThrow("the options of then must be { back } or be left out");
  await expect(Promise.resolve(two as unknown)).rejects.toThrow("stored<T>() is not a promise and must not be awaited");
});

it("a client refuses versions of a type that it does not have, and two versions of one type", () => {
  const stateAdapter = createInProcessStateAdapter();
  const create = (options: object): unknown => Reflect.apply(createClient, undefined, [{ stateAdapter, ...options }]);
  const other = defineJobTypes({ hear: { entry: true, input: pass, output: pass } });
  const ofOther = defineVersions({ jobTypes: other, inputs: { hear: two } });
  const inputs = defineVersions({ jobTypes, inputs: { say: two } });
  const outputs = defineVersions({ jobTypes, outputs: { say: two } });
  expect(() => create({ jobTypes, versions: [ofOther] })).toThrow(
    expect.objectContaining({ code: "invalid-input", message: expect.stringContaining('versions has "hear"') }),
  );
  expect(() => create({ jobTypes, versions: [inputs, outputs] })).toThrow(
    expect.objectContaining({
      code: "duplicate-job-type",
      message: expect.stringContaining('"say" has versions in two'),
    }),
  );
  expect(() => create({ jobTypes, versions: inputs })).toThrow("versions must be an array");
});

it("a worker refuses a code version that is not a whole number", () => {
  const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes });
  const processors = [createProcessors({ client, jobTypes, processors: { say: async ({ job }) => job.input } })];
  for (const codeVersion of [-1, 1.5, Number.NaN, "1" as unknown as number])
    expect(() => createWorker({ client, processors, codeVersion })).toThrow(
      expect.objectContaining({
        code: "invalid-input",
        message: expect.stringContaining("codeVersion must be an integer"),
      }),
    );
  createWorker({ client, processors, codeVersion: 0 });
});
