import { testCases } from "@chainwright/backends/vitest";
import { describe } from "vitest";
import { notifyConformance } from "@chainwright/conformance";
import { createInProcessNotifyAdapter } from "../../src/in-process/notify-adapter.ts";

const cases = notifyConformance({
  createAdapter: async () => ({ adapter: createInProcessNotifyAdapter(), close: async () => {} }),
  without: {
    elsewhere: "every adapter is a channel of its own",
    say: "only hints can be said",
    breakLinks: "there is no connection",
  },
});

describe("notify port, in process", () => {
  testCases(cases);
});
