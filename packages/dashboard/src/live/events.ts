import { answer } from "../answer.ts";
import type { Call, Context } from "../context.ts";
import type { LiveEvent } from "../protocol.ts";
import { queries, readQuery } from "../query.ts";
import { Refusal } from "../refusal.ts";

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
    let end = (): void => undefined;
    const stream = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          const encoder = new TextEncoder();
          const send = (text: string): void => {
            if ((controller.desiredSize ?? 0) <= 0) return end();
            controller.enqueue(encoder.encode(text));
          };
          let beat = clock.setTimer(() => undefined, 0);
          const keepAlive = (): void => {
            beat.cancel();
            beat = clock.setTimer(() => {
              send(": still here\n\n");
              keepAlive();
            }, heartbeatMs);
          };
          const last = clock.setTimer(() => end(), longestMs);
          const stop = watch.listen({ chains: chain, tell: (event) => send(frameOf(event)) });
          let isOpen = true;
          end = () => {
            if (!isOpen) return;
            isOpen = false;
            open -= 1;
            stop();
            beat.cancel();
            last.cancel();
            close(controller);
          };
          send("retry: 2000\n\n");
          keepAlive();
          request.signal.addEventListener("abort", () => end(), { once: true });
        },
        cancel: () => end(),
      },
      new CountQueuingStrategy({ highWaterMark: mostQueued }),
    );
    return answer(stream, 200, { "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" });
  };
}

/** JSON holds no line break, so that one line is one event. */
function frameOf(event: LiveEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function close(controller: ReadableStreamDefaultController<Uint8Array>): void {
  try {
    controller.close();
  } catch {
    // The reader has gone already.
  }
}
