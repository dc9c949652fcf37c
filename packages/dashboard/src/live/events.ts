import type { Timer } from "chainwright/adapter";
import { respond } from "../http/response.ts";
import type { DashboardClock } from "../clock.ts";
import type { Call, Context } from "../context.ts";
import type { LiveEvent } from "../protocol/overview.ts";
import { queries, readQuery } from "../http/query.ts";
import { Refusal } from "../http/refusal.ts";
import type { Watch } from "./watch.ts";

/** Open streams at a time; a browser has one for each open page. */
const mostStreams = 100;
/** Proxies close silent connections. */
const heartbeatMs = 15_000;
/** After this time the browser reconnects and is authorised again. */
const longestMs = 5 * 60_000;
/** A reader that is more events behind is disconnected, and its browser reconnects. */
const mostQueued = 16;

/** Creates the endpoint that streams changes. */
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
        stop = watch.listen({ chains, notify: (event) => send(frameOf(event)) });
        timers.set("end", clock.setTimer(end, longestMs));
        keepAlive();
      },
      cancel: end,
    },
    new CountQueuingStrategy({ highWaterMark: mostQueued }),
  );
  return { readable, end };
}

/** JSON contains no line break, so one line is one event. */
function frameOf(event: LiveEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function close(controller: ReadableStreamDefaultController<Uint8Array> | undefined): void {
  try {
    controller?.close();
  } catch {
    // The reader has already disconnected.
  }
}
