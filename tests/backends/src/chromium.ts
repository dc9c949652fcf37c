import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/** Returns the path of a Chromium on this machine. Without one it prints a line, and with `CI=true` it throws. */
export function findChromium(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).concat("/usr/bin");
  const candidates = [
    process.env["CHROMIUM_PATH"] ?? "",
    ...folders.flatMap((folder) => names.map((name) => join(folder, name))),
  ];
  const found = candidates.find((path) => path !== "" && existsSync(path));
  if (found !== undefined) return found;
  const missing = "no Chromium was found on the PATH (set CHROMIUM_PATH, or install it)";
  if (process.env["CI"] === "true") throw new Error(missing);
  // oxlint-disable-next-line no-console
  console.log(`SKIPPED tests in a browser: ${missing}`);
  return undefined;
}
