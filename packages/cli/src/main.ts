#!/usr/bin/env node
import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { run } from "./run.ts";

const { stdin, stdout, stderr } = process;

// The reader of a pipe has what it wants: `chainwright chains list | head -1`.
for (const stream of [stdout, stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
}

process.exitCode = await run({
  args: process.argv.slice(2),
  env: process.env,
  folder: process.cwd(),
  print: (text) => void stdout.write(text),
  complain: (text) => void stderr.write(text),
  ask: async (question) => {
    if (!stdin.isTTY || !stderr.isTTY) return undefined;
    const asking = createInterface({ input: stdin, output: stderr });
    try {
      // Ctrl-D and Ctrl-C end the question: that is a no.
      return await Promise.race([asking.question(question), once(asking, "close").then(() => "")]);
    } finally {
      asking.close();
    }
  },
  read: async function* () {
    for await (const piece of stdin.setEncoding("utf8")) yield String(piece);
  },
  untilStopped: async () => {
    await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  },
  columns: stdout.isTTY ? stdout.columns : undefined,
});
