#!/usr/bin/env node
import { once } from "node:events";
import { run } from "./run.ts";

process.exitCode = await run({
  args: process.argv.slice(2),
  env: process.env,
  print: (text) => console.log(text),
  complain: (text) => console.error(text),
  untilStopped: async () => {
    await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  },
});
