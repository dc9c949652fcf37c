import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { respond, textResponse } from "./http/response.ts";

/** Serves the web UI from the folder that the build writes beside the server. */
export interface WebUi {
  /** A page or a file of the bundle; undefined if there is none. */
  serve(path: string): Response | undefined;
}

const contentTypes: ReadonlyMap<string, string> = new Map([
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".svg", "image/svg+xml"],
  [".png", "image/png"],
  [".ico", "image/x-icon"],
  [".woff2", "font/woff2"],
]);
const longestPagePath = 200;

/** Beside the built server; or in `dist`, when the sources run. */
const folders = ["./ui/", "../dist/ui/"];

export function createWebUi(basePath: string, folder = findFolder()): WebUi {
  if (folder === undefined || !isBuilt(folder)) return { serve: () => notBuilt() };
  const page = readFileSync(join(folder, "index.html"), "utf8").replace(
    /<head[^>]*>/i,
    (head) => `${head}<base href="${basePath}/">`,
  );
  // Read once, by the names in the folder: a request can never name a path of the file system.
  const files = new Map(
    readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((name) => fileOf(folder, name)),
  );
  return {
    serve(path) {
      const file = files.get(path);
      if (file !== undefined) return respond(file.body, 200, { "content-type": file.type });
      if (path.startsWith("assets/") || path.length > longestPagePath) return undefined;
      return respond(page, 200, { "content-type": "text/html; charset=utf-8" });
    },
  };
}

function findFolder(): string | undefined {
  return folders.map((folder) => fileURLToPath(new URL(folder, import.meta.url))).find(isBuilt);
}

function isBuilt(folder: string): boolean {
  return existsSync(join(folder, "index.html"));
}

function fileOf(folder: string, name: string): [string, { body: Uint8Array<ArrayBuffer>; type: string }][] {
  const type = contentTypes.get(extname(name));
  if (type === undefined) return [];
  return [[name.replaceAll("\\", "/"), { body: new Uint8Array(readFileSync(join(folder, name))), type }]];
}

function notBuilt(): Response {
  return textResponse("The dashboard's web UI has not been built: run the build of @chainwright/dashboard.\n", 503);
}
