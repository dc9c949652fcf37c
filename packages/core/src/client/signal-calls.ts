import { given } from "../checks/check-options.ts";
import type { Engine } from "../engine/engine.ts";
import { listSignals } from "../operations/list-signals.ts";
import { publishSignal, signalChains, type ChainSignal } from "../operations/signal-chains.ts";
import type { InTransaction } from "../types/list-options.ts";
import { itemsOf, type Items } from "./items.ts";

/** The client's calls about signals, without their types. */
export function signalCalls(open: () => Engine) {
  return {
    signalChain: async (options: ChainSignal & InTransaction<unknown>) => {
      const { tx, ...item } = given(options, "signalChain");
      const [result] = await signalChains(open(), [item], tx);
      return result;
    },
    signalChains: async (options: Items<ChainSignal>) =>
      await signalChains(open(), itemsOf(options, "signalChains"), options.tx),
    publishSignal: async (options: Parameters<typeof publishSignal>[1]) => await publishSignal(open(), options),
    listSignals: async (options: Parameters<typeof listSignals>[1]) => await listSignals(open(), options),
  };
}
