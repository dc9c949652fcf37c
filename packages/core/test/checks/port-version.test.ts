import { describe, expect, it } from "vitest";
import { notifyPortVersion, statePortVersion } from "../../src/adapter.ts";
import { createClient } from "../../src/client/create-client.ts";
import { createInProcessNotifyAdapter } from "../../src/in-process/notify-adapter.ts";
import { createInProcessStateAdapter } from "../../src/in-process/state-adapter.ts";
import { defineJobTypes } from "../../src/types/define-job-types.ts";

const jobTypes = defineJobTypes<{ a: { entry: true; input: number; output: number } }>();

/** An adapter of another version of the library, as an application has it that updates only one of two packages. */
function ofVersion<Adapter extends object>(adapter: Adapter, portVersion: unknown): Adapter {
  return Object.assign(adapter, { portVersion });
}

const onState = (portVersion: unknown) => () =>
  createClient({ stateAdapter: ofVersion(createInProcessStateAdapter(), portVersion), jobTypes });
const onNotify = (portVersion: unknown) => () =>
  createClient({
    stateAdapter: createInProcessStateAdapter(),
    notifyAdapter: ofVersion(createInProcessNotifyAdapter(), portVersion),
    jobTypes,
  });

describe("createClient", () => {
  it("takes adapters whose code implements the version of its own ports", async () => {
    await onState(statePortVersion)().close();
    await onNotify(notifyPortVersion)().close();
  });

  it("refuses an adapter for an older port, and says that the adapter's package must be updated", () => {
    expect(onState(0)).toThrow(
      "stateAdapter.portVersion must be 1; got 0. Update the package of the stateAdapter: it is older than chainwright.",
    );
    expect(onNotify(0)).toThrow(
      /^notifyAdapter\.portVersion must be 1; got 0\. Update the package of the notifyAdapter/,
    );
  });

  it("counts an adapter without a version as older than any version", () => {
    expect(onState(undefined)).toThrow(/^stateAdapter\.portVersion must be 1; got undefined\. Update the package of/);
    expect(onState("1")).toThrow(/must be 1; got "1"\. Update the package of the stateAdapter/);
  });

  it("refuses an adapter for a newer port, and says that chainwright must be updated", () => {
    expect(onState(2)).toThrow(
      "stateAdapter.portVersion must be 1; got 2. Update chainwright: it is older than the package of the stateAdapter.",
    );
    expect(onNotify(2)).toThrow(/got 2\. Update chainwright: it is older than the package of the notifyAdapter\.$/);
  });
});
