import type { Timer } from "chainwright";
import { respond } from "../http/response.ts";
import type { DashboardClock } from "../clock.ts";
import type { Call, Context } from "../context.ts";
import type { LiveEvent } from "../protocol/overview.ts";
import { queries, readQuery } from "../http/query.ts";
import { Refusal } from "../http/refusal.ts";
import type { Watch } from "./watch.ts";

/** Streams at a time; a browser has one for each open page. */
const mostStreams = 100;
/** Proxies close what is silent. */
const heartbeatMs = 15_000;
/** Then the browser connects anew, and is asked again who it is. */
const longestMs = 5 * 60_000;
/** Events that a slow reader may lag behind; past them it is cut off and its browser connects anew. */
const mostQueued = 16;

/** Answers streams of what changes. */
export function createEventStreams({ watch, clock }: Context): (call: Call) => Response {
  let open = 0;
  return ({ request, query }) => {
    const { chain = [] } = readQuery(query, queries.events);
    if (open >= mostStreams) throw new Refusal(503, "busy", "Too many pages are open; this one is not updated live.");
    open += 1;
    const stream = openStream({ watch, clock, chains: chain, onEnd: () => (open -= 1) });
    request.signal.addEventListener("abort", stream.end, { once: true });
    return respond(stream.readable, 200, {
      "content-type": "text/event-stream; charset=utf-8",
      "x-accel-buffering": "no",
    });
  };
}

interface StreamOptions {
  readonly watch: Watch;
  readonly clock: DashboardClock;
  readonly chains: readonly string[];
  readonly onEnd: () => void;
}

function openStream({ watch, clock, chains, onEnd }: StreamOptions) {
  const encoder = new TextEncoder();
  const timers = new Map<string, Timer>();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let stop = (): void => undefined;
  let isOpen = true;

  const end = (): void => {
    if (!isOpen) return;
    isOpen = false;
    stop();
    for (const timer of timers.values()) timer.cancel();
    close(controller);
    onEnd();
  };
  const send = (text: string): void => {
    if (!isOpen) return;
    if ((controller?.desiredSize ?? 0) <= 0) end();
    else controller?.enqueue(encoder.encode(text));
  };
  const keepAlive = (): void => {
    if (!isOpen) return;
    const beat = clock.setTimer(() => {
      send(": still here\n\n");
      keepAlive();
    }, heartbeatMs);
    timers.set("beat", beat);
  };

  const readable = new ReadableStream<Uint8Array>(
    {
      start(opened) {
        controller = opened;
        send("retry: 2000\n\n");
        stop = watch.listen({ chains, tell: (event) => send(frameOf(event)) });
        timers.set("end", clock.setTimer(end, longestMs));
        keepAlive();
      },
      cancel: end,
    },
    new CountQueuingStrategy({ highWaterMark: mostQueued }),
  );
  return { readable, end };
}

/** JSON holds no line break, so that one line is one event. */
function frameOf(event: LiveEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function close(controller: ReadableStreamDefaultController<Uint8Array> | undefined): void {
  try {
    controller?.close();
  } catch {
    // The reader has gone already.
  }
}
