import type { StateBackend } from "@chainwright/conformance";
import { createCalls } from "../../src/in-process/calls.ts";
import { adapterOf } from "../../src/in-process/state-adapter.ts";
import type { InProcessTransaction } from "../../src/in-process/state-adapter.ts";
import { plantingIn } from "./planting.ts";

/** A store, and how a test plants faults in it. */
export async function openInProcess(): Promise<StateBackend<InProcessTransaction>> {
  const calls = createCalls(undefined);
  const { store } = calls.opened();
  return { adapter: adapterOf(calls), planting: plantingIn(store), close: async () => {} };
}
