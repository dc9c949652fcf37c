import { createClient, createInProcessStateAdapter } from "chainwright";
import { expectTypeOf, test } from "vitest";
import { createGateway, type Gateway } from "@chainwright/gateway";
import { jobTypes } from "./job-types.ts";

test("a gateway is made in one expression with its client", () => {
  const make = () =>
    createGateway({
      client: createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes }),
      keys: [],
      tokenSecrets: ["a secret of the gateway, 32 characters and more"],
    });
  expectTypeOf(make).returns.toEqualTypeOf<Gateway>();
});
