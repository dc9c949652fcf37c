import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { respond, textResponse } from "./http/response.ts";

/** Serves the web UI from the folder that the build writes beside the server. */
export interface WebUi {
  /** A page or a file of the bundle; undefined if there is none. */
  serve(path: string, request?: Request): Response | undefined;
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
    serve(path, request) {
      const file = files.get(path);
      if (file !== undefined) return fileResponse(file, path, request);
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

interface BundleFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** Undefined: compression makes it no smaller. */
  readonly gzipped: Uint8Array<ArrayBuffer> | undefined;
}

function fileOf(folder: string, name: string): [string, BundleFile][] {
  const type = contentTypes.get(extname(name));
  if (type === undefined) return [];
  const body = new Uint8Array(readFileSync(join(folder, name)));
  const gzipped = new Uint8Array(gzipSync(body));
  const isSmaller = gzipped.byteLength < body.byteLength * worthwhile;
  return [[name.replaceAll("\\", "/"), { body, type, gzipped: isSmaller ? gzipped : undefined }]];
}

/** A compressed file that is not at least this much smaller is not worth it. */
const worthwhile = 0.9;

/** Files of the bundle have a hash of their content in their names, so browsers may keep them. */
function fileResponse({ body, type, gzipped }: BundleFile, path: string, request: Request | undefined): Response {
  const cached = path.startsWith("assets/") ? { "cache-control": "private, max-age=31536000, immutable" } : undefined;
  const headers = { "content-type": type, vary: "accept-encoding", ...cached };
  if (gzipped === undefined || !takesGzip(request)) return respond(body, 200, headers);
  return respond(gzipped, 200, { ...headers, "content-encoding": "gzip" });
}

/** Next.js drops the `content-encoding` of what a route handler returns, and compresses by itself. */
function takesGzip(request: Request | undefined): boolean {
  if (request === undefined || "nextUrl" in request) return false;
  return /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
}

function notBuilt(): Response {
  return textResponse("The dashboard's web UI has not been built: run the build of @chainwright/dashboard.\n", 503);
}
