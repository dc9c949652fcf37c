import { Worker } from "node:worker_threads";

/** Counts the words in a thread, so that the event loop stays free; the thread ends with the attempt. */
export function countWords(text: string, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL("count-words.ts", import.meta.url), { workerData: text });
    signal.addEventListener("abort", () => void thread.terminate(), { once: true });
    thread.once("message", resolve);
    thread.once("error", reject);
    thread.once("exit", () => reject(new Error("the thread ended without a result")));
  });
}
