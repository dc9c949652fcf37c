import { createInProcessStateAdapter } from "chainwright";
import { memoryFloor } from "../floors/memory.ts";
import type { Row } from "../row.ts";

export const inProcess: Row = {
  name: "in-process",
  needs: [],
  open: async () => ({
    stateAdapter: createInProcessStateAdapter(),
    floor: memoryFloor(),
    serverCpu: () => undefined,
    close: async () => undefined,
  }),
};
