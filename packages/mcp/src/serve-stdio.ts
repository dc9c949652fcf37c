import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { McpStdioOptions } from "./options.ts";
import type { Track } from "./session.ts";

const mostBytes = 4_194_304;

/** Serves one agent over a pair of streams, until it closes its end; calls that have begun are finished. */
export async function serveStdio(
  create: (track: Track) => McpServer,
  { input = process.stdin, output = process.stdout, signal }: McpStdioOptions,
): Promise<void> {
  const running = new Set<Promise<unknown>>();
  const session = create(async (work) => {
    const settled = work.then(
      () => undefined,
      () => undefined,
    );
    running.add(settled);
    void settled.then(() => running.delete(settled));
    return await work;
  });
  const finished = async (): Promise<void> => {
    // The last messages are handed to their tools in the next turn, and so are their replies to the output.
    await nextTurn();
    while (running.size > 0) await Promise.all(running);
    await nextTurn();
  };
  const ended = Promise.withResolvers<void>();
  const end = (): void => ended.resolve();
  input.once("end", end).once("close", end).once("error", end);
  // The agent has gone: there is no one to reply to.
  output.on("error", end);
  signal?.addEventListener("abort", end, { once: true });
  await session.connect(new StdioServerTransport(input, output, { maxBufferSize: mostBytes }));
  Object.assign(session.server, { onclose: end });
  if (signal?.aborted === true) end();
  await ended.promise;
  await finished();
  await session.close();
  signal?.removeEventListener("abort", end);
}
