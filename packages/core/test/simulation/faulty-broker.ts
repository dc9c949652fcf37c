import { createInProcessNotifyAdapter } from "../../src/in-process/notify-adapter.ts";
import type { Hint, HintMessage, NotifyAdapter } from "../../src/ports/notify.ts";
import type { Life } from "./life.ts";
import type { BrokerRates } from "./scenario.ts";

/** The broker that all processes share. */
export const createBroker = createInProcessNotifyAdapter;

/** One process's way to the broker: messages are lost, doubled, late, or about what does not exist; a deaf one hears nothing. */
export function faultyBroker(
  broker: NotifyAdapter,
  life: Life,
  rates: () => BrokerRates,
  hears: boolean,
): NotifyAdapter {
  const strikes = (fault: keyof BrokerRates): boolean => life.random() * 1_000 < rates()[fault];
  const publish = async (message: HintMessage): Promise<void> => {
    if (strikes("lost")) return;
    if (strikes("late")) await new Promise<void>((resolve) => void life.clock.setTimer(resolve, life.random() * 4_000));
    await broker.publish(strikes("junk") ? { ...message, hints: [...junk, ...message.hints] } : message);
    if (strikes("doubled")) await broker.publish(message);
  };
  return {
    portVersion: broker.portVersion,
    publish,
    subscribe: (listener) => (hears ? broker.subscribe(listener) : Promise.resolve({ close: () => Promise.resolve() })),
    close: () => Promise.resolve(),
  };
}

const unknownId = "00000000-0000-4000-8000-000000000000";
const junk: readonly Hint[] = [
  { kind: "ready", typeName: "of no type", count: -1 },
  { kind: "ready", typeName: "step", count: 1_000_000 },
  { kind: "ended", chainId: unknownId },
  { kind: "interrupt", jobId: unknownId },
  { kind: "ended", chainId: "" },
];
