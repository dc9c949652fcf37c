// A thread: counts words for a long time, as an OCR or a parser would.
import { parentPort, workerData } from "node:worker_threads";

const text = String(workerData);
const until = performance.now() + 150;
while (performance.now() < until);
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(text.split(/\s+/).length);
