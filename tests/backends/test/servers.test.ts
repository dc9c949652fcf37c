import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { startNats, startPostgres, startRedis } from "../src/index.ts";
import type { Server } from "../src/index.ts";
import { findBackend } from "../src/vitest.ts";
import { probePostgres } from "../src/postgres-probe.ts";

const starters = { postgres: startPostgres, redis: startRedis, nats: startNats };
const names = Object.keys(starters) as (keyof typeof starters)[];
const found = Object.fromEntries(
  await Promise.all(names.map(async (name) => [name, await findBackend(name)] as const)),
);

let server: Server | undefined;
afterEach(() => server?.stop());

const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe.each(names)("a started %s", (name) => {
  const options = { timeout: 60_000, skip: found[name] === undefined };

  it("responds on a loopback port, and no longer after stop", options, async () => {
    server = await starters[name]();
    const { pid } = server;
    expect(new URL(server.url).hostname).toBe("127.0.0.1");
    expect(server.version).toMatch(/^\d+\.\d+/);
    expect(isRunning(pid)).toBe(true);
    await server.stop();
    expect(isRunning(pid)).toBe(false);
  });

  it("restarts on the same port after it was killed", options, async () => {
    server = await starters[name]();
    const { pid, port } = server;
    await server.kill();
    expect(isRunning(pid)).toBe(false);
    await server.restart();
    expect(server.port).toBe(port);
    expect(isRunning(server.pid)).toBe(true);
    expect(server.pid).not.toBe(pid);
  });

  it("ends when its owner is killed, and its data is removed", options, async () => {
    const owner = spawn(
      process.execPath,
      ["--experimental-strip-types", fileURLToPath(new URL("fixtures/owner.ts", import.meta.url)), name],
      {
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...process.env, NODE_OPTIONS: "--disable-warning=ExperimentalWarning" },
      },
    );
    const [line] = (await once(createInterface({ input: owner.stdout }), "line")) as [string];
    const { pid, folder } = JSON.parse(line) as { pid: number; folder: string };
    expect(isRunning(pid)).toBe(true);
    expect(existsSync(folder)).toBe(true);
    owner.kill("SIGKILL");
    await expect.poll(() => isRunning(pid) || existsSync(folder), { timeout: 20_000 }).toBe(false);
  });
});

describe("a started postgres", () => {
  it(
    "does not respond while it is paused, and responds again when it is resumed",
    { timeout: 60_000, skip: found["postgres"] === undefined },
    async () => {
      server = await startPostgres();
      await server.pause();
      await expect(probePostgres(server.port)).rejects.toThrow("no reply");
      await server.resume();
      expect(await probePostgres(server.port)).toBe(server.version);
    },
  );

  it(
    "quotes its log in the error when it cannot start",
    { timeout: 60_000, skip: found["postgres"] === undefined },
    async () => {
      await expect(startPostgres({ settings: { shared_buffers: "nonsense" } })).rejects.toThrow(
        /did not start.*shared_buffers/s,
      );
    },
  );
});
