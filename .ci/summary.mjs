// Prints the closing line of .ci/run: node summary.mjs <results of vitest's json reporter> <exit status of the run>
import { existsSync, readFileSync } from "node:fs";

const [file, status] = process.argv.slice(2);
const results = file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
const passed = results?.numPassedTests ?? 0;
const failed = results?.numFailedTests ?? 0;

// A run that failed elsewhere than in a test must not close with a zero.
console.log(`${passed} passed, ${status === "0" ? failed : Math.max(failed, 1)} failed`);
