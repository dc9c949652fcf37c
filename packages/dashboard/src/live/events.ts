import type { Timer } from "chainwright/adapter";
import { respond } from "../http/response.ts";
import type { DashboardClock } from "../clock.ts";
import type { Call, Context } from "../context.ts";
import type { LiveEvent } from "../protocol/overview.ts";
import { queries, readQuery } from "../http/query.ts";
import { Refusal } from "../http/refusal.ts";
import type { Authorize, Principal } from "../options.ts";
import type { Redaction } from "../redaction.ts";
import type { Listener, Watch } from "./watch.ts";

/** Open streams at a time; a browser has one for each open page. */
const mostStreams = 300;
/** Open streams of one reader who has a name, so that one reader cannot take the streams of all. */
const mostOfOne = 40;
/** Proxies close silent connections. Each beat also asks whether the reader may still read. */
const heartbeatMs = 15_000;
/** A reader that is more events behind is disconnected, and its browser reconnects. */
const mostQueued = 16;

interface EventOptions extends Pick<Context, "watch" | "clock"> {
  readonly authorize: Authorize;
  readonly redactionFor: (principal: Principal) => Redaction;
}

/** Creates the endpoint that streams changes. */
export function createEventStreams({ watch, clock, authorize, redactionFor }: EventOptions): (call: Call) => Response {
  const open = createPlaces();
  return ({ request, query, principal }) => {
    const { chain = [], job = [] } = readQuery(query, queries.events);
    const leave = open.enter(principal.name);
    const mayRead = async (): Promise<boolean> => {
      const now = await authorize(request);
      return now !== null && !(now instanceof Response);
    };
    const page: OpenedPage = { reader: principal.name, chains: chain, jobs: job, redaction: redactionFor(principal) };
    const stream = openStream({ watch, clock, mayRead, page, onEnd: leave });
    request.signal.addEventListener("abort", stream.end, { once: true });
    return respond(stream.readable, 200, {
      "content-type": "text/event-stream; charset=utf-8",
      // Frameworks that compress, as Next.js does, would hold events back.
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    });
  };
}

/** Counts open streams, in all and by reader. */
function createPlaces() {
  const taken = new Map<string | undefined, number>();
  let all = 0;
  const add = (reader: string | undefined, change: number): void => {
    all += change;
    const count = (taken.get(reader) ?? 0) + change;
    if (count === 0) taken.delete(reader);
    else taken.set(reader, count);
  };
  return {
    /** Returns a function that gives the place back. */
    enter(reader: string | undefined): () => void {
      const isFull = all >= mostStreams || (reader !== undefined && (taken.get(reader) ?? 0) >= mostOfOne);
      if (isFull) throw new Refusal(503, "busy", "Too many pages are open; this one is not updated live.");
      add(reader, 1);
      return () => add(reader, -1);
    },
  };
}

/** What a page follows, and for whom. */
type OpenedPage = Omit<Listener, "notify" | "seen">;

interface StreamOptions {
  readonly watch: Watch;
  readonly clock: DashboardClock;
  /** Rejects or resolves to false when the stream must end. */
  readonly mayRead: () => Promise<boolean>;
  readonly page: OpenedPage;
  readonly onEnd: () => void;
}

function openStream({ watch, clock, mayRead, page, onEnd }: StreamOptions) {
  const encoder = new TextEncoder();
  let timer: Timer | undefined;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let stop = (): void => undefined;
  let isOpen = true;

  const end = (): void => {
    if (!isOpen) return;
    isOpen = false;
    stop();
    timer?.cancel();
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
    timer = clock.setTimer(() => void beat(), heartbeatMs);
  };
  const beat = async (): Promise<void> => {
    // Who has signed out is told nothing more; the browser connects again and is refused.
    if (!(await mayRead().catch(() => false))) return end();
    send(": still here\n\n");
    keepAlive();
  };

  const readable = new ReadableStream<Uint8Array>(
    {
      start(opened) {
        controller = opened;
        send("retry: 2000\n\n");
        stop = watch.listen({ ...page, seen: new Map(), notify: (event) => send(frameOf(event)) });
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
