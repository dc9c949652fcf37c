import { createServer } from "node:net";
import { afterEach, expect, it, vi } from "vitest";
import { freePort } from "../src/loopback.ts";

afterEach(() => vi.restoreAllMocks());

/** The random numbers that `freePort` turns into ports. */
function draw(...ports: readonly number[]): void {
  const random = vi.spyOn(Math, "random");
  for (const port of ports) random.mockReturnValueOnce((port - 12_000 + 0.5) / 20_000);
}

it("a port is given out once, also while its server has not begun to listen", async () => {
  const [port, next] = [await freePort(), await freePort()];
  draw(port, next);
  expect([port, next]).not.toContain(await freePort());
});

it("a port on which another program listens is not given out", async () => {
  const server = createServer();
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  draw(port);
  expect(await freePort()).not.toBe(port);
  server.close();
});
