import { createInProcessNotifyAdapter, createInProcessStateAdapter } from "chainwright";
import type { Row } from "../row.ts";

/** The client and the worker alone, which every other row holds too. */
export const inProcess: Row = {
  name: "in-process",
  needs: [],
  keepsState: true,
  prepare: async () => ({
    build: async () => ({
      stateAdapter: createInProcessStateAdapter(),
      notifyAdapter: createInProcessNotifyAdapter(),
    }),
    close: async () => undefined,
  }),
};
