import { createClient, defineVersions, stored, type ClientOptions, type Stored, type Versions } from "chainwright";
import { expectTypeOf, it } from "vitest";
import { orderJobTypes, stateAdapter, type TestTx } from "./job-types.ts";

const charges = stored<{ orderId: string; amount: number }>()
  .then((v1) => ({ orderId: v1.orderId, euros: v1.amount }))
  .then((v2) => ({ orderId: v2.orderId, cents: v2.euros * 100 }), {
    back: (v3) => ({ orderId: v3.orderId, euros: v3.cents / 100 }),
  });

it("a version is typed by the one before, and says whether it has a back", () => {
  expectTypeOf(charges).toEqualTypeOf<Stored<{ orderId: string; cents: number }, [false, true]>>();
  // @ts-expect-error -- the second version has no amount
  charges.then((v3) => v3.amount);
  // @ts-expect-error -- a back returns the version before
  charges.then((v3) => ({ all: v3.cents }), { back: ({ all }) => ({ cents: all }) });
});

it("versions name the job types that they are about", () => {
  const versions = defineVersions({
    jobTypes: orderJobTypes,
    inputs: { "order.charge": charges },
    outputs: { "fraud.check": stored<{ risk: number }>().then(({ risk }) => ({ score: risk })) },
    writes: { "order.charge": 2 },
  });
  expectTypeOf(versions).toEqualTypeOf<
    Versions<{
      "order.charge": {
        input: { orderId: string; cents: number };
        output: { receipt: string };
        continueWith: "order.charge" | "order.refund";
        blockers: ["stock.reserve", ..."fraud.check"[]];
      };
      "fraud.check": { entry: true; input: { orderId: string }; output: { score: number } };
    }>
  >();
});

it("a client takes versions of its job types, also from options that were made before", () => {
  const versions = [defineVersions({ jobTypes: orderJobTypes, inputs: { "order.charge": charges } })] as const;
  const client = createClient({ stateAdapter, jobTypes: orderJobTypes, versions });
  expectTypeOf(client).toEqualTypeOf(createClient({ stateAdapter, jobTypes: orderJobTypes }));
  const options: ClientOptions<TestTx, typeof orderJobTypes> = { stateAdapter, jobTypes: orderJobTypes, versions };
  expectTypeOf(createClient(options)).toEqualTypeOf(client);
  const some: Versions<never>[] = [];
  createClient({ stateAdapter, jobTypes: orderJobTypes, versions: some });
  // @ts-expect-error -- no versions
  createClient({ stateAdapter, jobTypes: orderJobTypes, versions: [{ inputs: charges }] });
});
