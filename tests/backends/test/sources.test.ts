import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { BackendMissingError, startRedis } from "../src/index.ts";
import { provideBackend } from "../src/provide.ts";
import type { Server } from "../src/server.ts";
import { startFromFirst } from "../src/sources.ts";
import type { Source } from "../src/sources.ts";
import { findBackend } from "../src/vitest.ts";

const redis = await findBackend("redis");

afterEach(() => vi.unstubAllEnvs());

const missing = (from: Source["from"]): Source => ({ from, look: () => Promise.resolve({ missing: `no ${from}` }) });

describe("the order of sources", () => {
  it("tries the next source when one has no server, and lists every reason when none has", async () => {
    const all = [missing("installed"), missing("embedded"), missing("docker")];
    const attempt = startFromFirst("postgres", all, {});
    await expect(attempt).rejects.toBeInstanceOf(BackendMissingError);
    await expect(attempt).rejects.toThrow("no installed; no embedded; no docker");
  });

  it("uses the first source that has the server, and tries no other", async () => {
    const found = { from: "embedded" } as const;
    const start = vi.fn<() => Promise<Server>>(() => Promise.reject(new Error("started")));
    const never = vi.fn<Source["look"]>();
    const all = [
      missing("installed"),
      { ...found, look: () => Promise.resolve({ start }) },
      { from: "docker", look: never } as const,
    ];
    await expect(startFromFirst("postgres", all, {})).rejects.toThrow("started");
    expect(never).not.toHaveBeenCalled();
  });

  it("starts nothing when the environment names the server", async () => {
    vi.stubEnv("REDIS_URL", "redis://example:1");
    expect(await provideBackend("redis")).toEqual({ url: "redis://example:1" });
  });
});

describe.skipIf(redis === undefined)("a server in a container", () => {
  const fixtures = fileURLToPath(new URL("fixtures/bin", import.meta.url));
  const containers = () => readdirSync(tmpdir()).filter((name) => name.endsWith(".container"));

  it("is killed, restarted, paused and removed through docker", { timeout: 60_000 }, async () => {
    vi.stubEnv("PATH", `${fixtures}${delimiter}${process.env["PATH"]}`);
    const before = containers();
    const server = await startRedis({ from: "docker" });
    expect(server.origin).toContain("docker image redis");
    expect(containers().length).toBe(before.length + 1);
    await server.kill();
    await server.restart();
    await server.pause();
    await server.resume();
    await server.stop();
    expect(containers()).toEqual(before);
  });
});
