#!/usr/bin/env node
import { run } from "./run.ts";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());

process.exitCode = await run({
  args: process.argv.slice(2),
  env: process.env,
  folder: process.cwd(),
  input: process.stdin,
  output: process.stdout,
  complain: (text) => void process.stderr.write(text),
  signal: stop.signal,
});
// An agent that keeps its end open must not keep the process: the store is closed.
process.stdin.destroy();
