import { describeOn, findBackend } from "@chainwright/backends/vitest";
import { openPgWithOddSettings } from "./clients.ts";
import { testStatePort } from "./port-suites.ts";

const title = "state port, with pg and settings that round and rearrange what is read";
describeOn(title, await findBackend("postgres"), (url) => testStatePort(openPgWithOddSettings(url, 12), "pg"));
