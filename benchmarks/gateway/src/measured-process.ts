import type { Server } from "node:http";
import type { Usage } from "./server.ts";

/** Answers what the parent asks with what this process has used. Ends with the parent, even if that is killed. */
export function answerUsage(counts: () => Pick<Usage, "exchanges" | "parked">): void {
  process.on("message", () => {
    globalThis.gc?.();
    const { user, system } = process.cpuUsage();
    const rssMb = process.memoryUsage().rss / 1e6;
    process.send?.({ cpuMs: (user + system) / 1_000, rssMb, ...counts() } satisfies Usage);
  });
  process.on("disconnect", () => process.exit());
}

/** Listens on a free port, and tells it to the parent. */
export function tellPort(server: Server): void {
  // The load client keeps its connections from round to round.
  server.keepAliveTimeout = 600_000;
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    process.send?.({ port: typeof address === "object" && address !== null ? address.port : 0 });
  });
}
