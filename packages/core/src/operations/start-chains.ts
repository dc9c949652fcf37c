import type { ChainEvent } from "../model/event.ts";
import type { JobStart } from "../model/job-start.ts";
import { dueAt } from "../model/schedule.ts";
import type { StartReply } from "../ports/start.ts";
import type { Engine } from "../engine/engine.ts";
import { replacedEvent, startedJobsEvents } from "../engine/job-events.ts";
import { prepareStart, type StartItem } from "./prepare-start.ts";
import { refusalError } from "./refusal-error.ts";
import { signalEvents } from "./signal-events.ts";
import { startOutside } from "./start-without-transaction.ts";

/** Starts chains, all or none. Without a transaction they share a statement with other starts of the same time. */
export async function startChains(
  engine: Engine,
  items: readonly StartItem[],
  tx: unknown,
): Promise<readonly StartReply[]> {
  if (items.length === 0) return [];
  const starts = await Promise.all(items.map((item) => prepareStart(engine, item)));
  const [reply] =
    tx === undefined
      ? [await startOutside(engine, items, starts)]
      : await engine.state.start([{ starts }], engine.callOptions(tx));
  if (reply === undefined) throw new TypeError("the state adapter must return a reply for each start; got none.");
  if (!reply.ok) throw refusalError(reply.refusal);
  const chains = reply.value;
  engine.events.record(
    chains.flatMap((chain, index) => {
      const start = starts[index];
      const events = chain.deduplicated
        ? [notStartedEvent(chain, items[index])]
        : withDeadlines(startedJobsEvents(chain.jobs), start, engine.clock.now());
      return chain.signalled === undefined ? events : [...events, ...eventsOfSignals(chain, start)];
    }),
    tx,
  );
  return chains;
}

function eventsOfSignals({ id, signalled = [] }: StartReply, start: JobStart | undefined): readonly ChainEvent[] {
  return (start?.signals ?? []).flatMap((sent, index) => signalEvents(id, sent, signalled[index]));
}

/** Says in the events of chains with a deadline when it is: those of the start, and of the starts written inline in it. */
function withDeadlines(events: readonly ChainEvent[], start: JobStart | undefined, now: number): readonly ChainEvent[] {
  if (start === undefined || (start.deadline === undefined && start.blockers.length === 0)) return events;
  const deadlines = new Map<string, number>();
  addDeadlines(deadlines, start, now);
  return events.map((event) => {
    const deadlineInMs = event.type === "chain-started" ? deadlines.get(event.chainId) : undefined;
    return event.type !== "chain-started" || deadlineInMs === undefined ? event : { ...event, deadlineInMs };
  });
}

function addDeadlines(deadlines: Map<string, number>, { id, deadline, blockers }: JobStart, now: number): void {
  if (deadline !== undefined) deadlines.set(id, Math.max(0, dueAt(deadline, now) - now));
  for (const blocker of blockers) if ("start" in blocker) addDeadlines(deadlines, blocker.start, now);
}

/** The event of a start that found a chain with its key. */
function notStartedEvent({ id: chainId, replaced }: StartReply, item: StartItem | undefined): ChainEvent {
  if (replaced === undefined) return { type: "chain-deduplicated", chainId, typeName: item?.typeName ?? "" };
  return replacedEvent(replaced, item?.throttle === undefined ? "debounce" : "throttle");
}
