import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { drawTree, runProcess, type ProcessOutput, type SpanRecord } from "./run-process.ts";

const folder = mkdtempSync(join(tmpdir(), "chainwright-otel-"));
const chainId = randomUUID();
let starter: ProcessOutput;
let worker: ProcessOutput;
let spans: readonly SpanRecord[];

beforeAll(async () => {
  const file = join(folder, "jobs.db");
  starter = await runProcess("starter", file, chainId);
  worker = await runProcess("worker", file, chainId);
  spans = [...starter.spans, ...worker.spans];
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const named = (name: string): SpanRecord => {
  const span = spans.find((each) => each.name === name);
  if (span === undefined) throw new Error(`no span is called ${name}`);
  return span;
};

describe("a chain with a branch, a blocker, a retry and a continuation, started in one process and run in another", () => {
  it("is one tree of spans", () => {
    expect(drawTree(spans)).toMatchInlineSnapshot(`
      "internal checkout
        producer start order.place
          consumer process order.place #1 ~start:start order.place
            producer continue order.charge ~continuation:process order.place
              consumer process order.charge #1 !RangeError ~continuation:continue order.charge ~blocker:start stock.reserve
                internal prepare order.charge
                  internal load order
              consumer process order.charge #2 ~continuation:continue order.charge ~blocker:start stock.reserve
                internal complete order.charge
                internal prepare order.charge
                  internal load order
            producer start stock.reserve
              consumer process stock.reserve #1 ~start:start stock.reserve"
    `);
    expect(new Set(spans.map((span) => span.traceId)).size).toBe(1);
  });

  it("continues from the starting process to the running process", () => {
    expect(starter.spans.map((span) => span.name).sort()).toEqual(["checkout", "start order.place"]);
    expect(named("process order.place").parentId).toBe(named("start order.place").id);
    expect(worker.spans).toContain(named("process order.place"));
  });

  it("names its spans and their attributes by the conventions", () => {
    expect(named("start order.place").attributes).toEqual({
      "messaging.system": "chainwright",
      "messaging.operation.name": "start",
      "messaging.operation.type": "create",
      "messaging.destination.name": "order.place",
      "messaging.message.id": chainId,
    });
    expect(named("process order.place").attributes).toEqual({
      "messaging.system": "chainwright",
      "messaging.operation.name": "process",
      "messaging.operation.type": "process",
      "messaging.destination.name": "order.place",
      "messaging.message.id": chainId,
      "messaging.message.conversation_id": chainId,
      "messaging.client.id": expect.any(String),
      "chainwright.attempt": 1,
    });
    const jobId = named("process order.charge").attributes["messaging.message.id"];
    expect(named("continue order.charge").attributes).toEqual({
      "messaging.system": "chainwright",
      "messaging.operation.name": "continue",
      "messaging.operation.type": "create",
      "messaging.destination.name": "order.charge",
      "messaging.message.id": jobId,
    });
    expect(named("complete order.charge").attributes).toEqual({
      "messaging.system": "chainwright",
      "messaging.operation.name": "complete",
      "messaging.operation.type": "settle",
      "messaging.destination.name": "order.charge",
      "messaging.message.id": jobId,
    });
  });

  it("describes the failed attempt only by the type of its error", () => {
    const failed = spans.find((span) => span.name === "process order.charge" && span.status.code === 2);
    expect(failed?.attributes["error.type"]).toBe("RangeError");
    expect(failed?.status).toEqual({ code: 2 });
    expect(failed?.events).toEqual([{ name: "exception", attributes: { "exception.type": "RangeError" } }]);
  });

  it("exports no payload, not even inside a message", () => {
    expect(worker.text).toContain("order.charge");
    expect(starter.text + worker.text).not.toContain("payload-secret");
  });

  it("is counted by the process that did the work", () => {
    expect(countsOf(starter)).toMatchInlineSnapshot(`
      "chainwright.connection.lost {loss} notifications 0
      chainwright.connection.lost {loss} store 0
      messaging.client.sent.messages {message} order.place start 1"
    `);
    expect(countsOf(worker)).toMatchInlineSnapshot(`
      "chainwright.connection.lost {loss} notifications 0
      chainwright.connection.lost {loss} store 0
      chainwright.exchange.duration s 
      chainwright.exchange.size {job} claimed
      chainwright.exchange.size {job} settled
      chainwright.job.oldest_ready.age s order.charge 0
      chainwright.job.oldest_ready.age s order.place 0
      chainwright.job.oldest_ready.age s stock.reserve 0
      chainwright.job.retried {attempt} order.charge error 1
      chainwright.job.running {job} order.charge 0
      chainwright.job.running {job} order.place 0
      chainwright.job.running {job} stock.reserve 0
      chainwright.job.wait.duration s order.charge 2
      chainwright.job.wait.duration s order.place 1
      chainwright.job.wait.duration s stock.reserve 1
      chainwright.job.waiting {job} order.charge blocked 0
      chainwright.job.waiting {job} order.charge ready 0
      chainwright.job.waiting {job} order.charge scheduled 0
      chainwright.job.waiting {job} order.charge waiting 0
      chainwright.job.waiting {job} order.place blocked 0
      chainwright.job.waiting {job} order.place ready 0
      chainwright.job.waiting {job} order.place scheduled 0
      chainwright.job.waiting {job} order.place waiting 0
      chainwright.job.waiting {job} stock.reserve blocked 0
      chainwright.job.waiting {job} stock.reserve ready 0
      chainwright.job.waiting {job} stock.reserve scheduled 0
      chainwright.job.waiting {job} stock.reserve waiting 0
      chainwright.schedule.lag s  0
      chainwright.type.paused {type} order.charge 0
      chainwright.type.paused {type} order.place 0
      chainwright.type.paused {type} stock.reserve 0
      messaging.client.consumed.messages {message} order.charge claim 2
      messaging.client.consumed.messages {message} order.place claim 1
      messaging.client.consumed.messages {message} stock.reserve claim 1
      messaging.client.sent.messages {message} order.charge continue 1
      messaging.client.sent.messages {message} stock.reserve start 1
      messaging.process.duration s order.charge process 1
      messaging.process.duration s order.charge process RangeError 1
      messaging.process.duration s order.place process 1
      messaging.process.duration s stock.reserve process 1"
    `);
  });
});

/** Name, unit, attributes and value of every data point that does not depend on time. */
function countsOf({ metrics }: ProcessOutput): string {
  const lines = metrics.flatMap(({ name, unit, points }) =>
    points.map(({ attributes, value }) => {
      const { "messaging.system": system, ...others } = attributes;
      expect(system).toBe("chainwright");
      const count = name.startsWith("chainwright.exchange") ? "" : ` ${value}`;
      return `${name} ${unit} ${Object.values(others).join(" ")}${count}`;
    }),
  );
  return lines.sort().join("\n");
}
