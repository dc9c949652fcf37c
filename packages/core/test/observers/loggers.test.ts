import { Writable } from "node:stream";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import winston from "winston";
import type { ChainwrightEvent } from "../../src/model/event.ts";
import type { Observer } from "../../src/ports/observer.ts";

const job = { jobId: "job", chainId: "chain", typeName: "order.place" };
const events: readonly ChainwrightEvent[] = [
  { type: "chain-completed", ...job },
  { type: "job-failed", ...job, error: { name: "TypeError", message: "no" } },
];

/** What a logger wrote, a line an object. */
function collect(): { readonly stream: Writable; readonly lines: () => unknown[] } {
  let written = "";
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written += String(chunk);
      done();
    },
  });
  return {
    stream,
    lines: () =>
      written
        .trim()
        .split("\n")
        .map((line): unknown => JSON.parse(line)),
  };
}

// The bindings of the guide on observability.
describe("a binding of five lines", () => {
  it("passes events to pino, with their fields as fields of the log", () => {
    const { stream, lines } = collect();
    const logger = pino(stream);
    const observer: Observer = ({ type, ...fields }) => {
      const level = type.endsWith("-failed") || type.endsWith("-lost") ? "warn" : "info";
      logger[level](fields, type);
    };
    for (const event of events) observer(event);
    expect(lines()).toMatchObject([
      { level: 30, msg: "chain-completed", ...job },
      { level: 40, msg: "job-failed", ...job, error: { name: "TypeError", message: "no" } },
    ]);
  });

  it("passes events to winston, with their fields as fields of the log", () => {
    const { stream, lines } = collect();
    const logger = winston.createLogger({ transports: [new winston.transports.Stream({ stream })] });
    const observer: Observer = ({ type, ...fields }) => {
      const level = type.endsWith("-failed") || type.endsWith("-lost") ? "warn" : "info";
      logger.log(level, type, fields);
    };
    for (const event of events) observer(event);
    expect(lines()).toMatchObject([
      { level: "info", message: "chain-completed", ...job },
      { level: "warn", message: "job-failed", ...job, error: { name: "TypeError", message: "no" } },
    ]);
  });
});
