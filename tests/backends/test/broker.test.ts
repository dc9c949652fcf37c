import { afterEach, expect, it, vi } from "vitest";
import { askBroker } from "../src/ask-broker.ts";
import { openBroker } from "../src/broker.ts";
import type { Broker } from "../src/broker.ts";
import { BackendMissingError } from "../src/index.ts";
import type { ProvidedBackend } from "../src/index.ts";

let broker: Broker;
const lines: string[] = [];

afterEach(() => {
  vi.unstubAllEnvs();
  lines.length = 0;
});

async function brokerOf(provide: () => Promise<ProvidedBackend>): Promise<void> {
  broker = await openBroker({ provide, report: (line) => lines.push(line) });
}

const nothing = () => Promise.reject(new BackendMissingError("nats", ["not here", "not there"]));

it("starts one server for all suites that request it", async () => {
  const provide = vi.fn<() => Promise<ProvidedBackend>>(() => Promise.resolve({ url: "redis://here" }));
  await brokerOf(provide);
  const urls = await Promise.all([1, 2, 3].map(() => askBroker(broker.url, "redis")));
  await broker.close();
  expect(urls).toEqual(["redis://here", "redis://here", "redis://here"]);
  expect(provide).toHaveBeenCalledTimes(1);
  expect(lines).toEqual([]);
});

it("reports each backend that no source has in one line at the end", async () => {
  vi.stubEnv("CI", "");
  await brokerOf(nothing);
  expect(await askBroker(broker.url, "nats")).toBeUndefined();
  expect(await askBroker(broker.url, "nats")).toBeUndefined();
  expect(lines).toEqual([]);
  await broker.close();
  expect(lines).toEqual([expect.stringMatching(/^SKIPPED the suites on nats: .*not here; not there.*NATS_URL/)]);
});

it("fails when a backend is missing and CI=true, instead of skipping", async () => {
  vi.stubEnv("CI", "true");
  await brokerOf(nothing);
  await expect(askBroker(broker.url, "nats")).rejects.toThrow("not here; not there");
  await broker.close();
});

it("reports a server that failed to start as an error, not as missing", async () => {
  vi.stubEnv("CI", "");
  await brokerOf(() => Promise.reject(new Error("disk full")));
  await expect(askBroker(broker.url, "postgres")).rejects.toThrow("disk full");
  await broker.close();
  expect(lines).toEqual([]);
});
