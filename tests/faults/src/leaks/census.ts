import { getEventListeners } from "node:events";
import { setImmediate as turn } from "node:timers/promises";

/** The resources of a process at one time. */
export interface Census {
  /** The number of resources that keep it alive (sockets, timers, files), by kind. */
  readonly resources: Readonly<Record<string, number>>;
  readonly listeners: number;
  readonly heapBytes: number;
}

/** Counts after a garbage collection. */
export async function takeCensus(emitters: readonly (NodeJS.EventEmitter | EventTarget)[]): Promise<Census> {
  const { gc } = globalThis;
  if (gc === undefined) throw new TypeError("run with --expose-gc");
  for (let pass = 0; pass < 3; pass += 1) {
    for (let each = 0; each < 10; each += 1) await turn();
    gc();
  }
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  const counts = [process, ...emitters].map((emitter) => listenersOf(emitter));
  const listeners = counts.reduce((sum, count) => sum + count, 0);
  return { resources, listeners, heapBytes: process.memoryUsage().heapUsed };
}

function listenersOf(emitter: NodeJS.EventEmitter | EventTarget): number {
  if (!("eventNames" in emitter)) return getEventListeners(emitter, "abort").length;
  return emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0);
}

export interface Growth {
  readonly before: Census;
  readonly after: Census;
}

/** Growth that short timers and compiled code do not explain. */
const spareBytes = 2_000_000;
const spareResources = 3;

/** One sentence for each growth; empty if nothing grew. */
export function growthsOf({ before, after }: Growth): readonly string[] {
  const grown: string[] = [];
  for (const [kind, count] of Object.entries(after.resources)) {
    const more = count - (before.resources[kind] ?? 0);
    if (more > spareResources) grown.push(`${more} more of ${kind}`);
  }
  if (after.listeners > before.listeners) grown.push(`${after.listeners - before.listeners} more listeners`);
  const bytes = after.heapBytes - before.heapBytes;
  if (bytes > spareBytes) grown.push(`${bytes} more bytes of heap`);
  return grown;
}
