import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWebUi } from "../src/web-ui.ts";

const folder = mkdtempSync(join(tmpdir(), "chainwright-dashboard-ui-"));

const longText = "run(); ".repeat(1_000);

beforeAll(() => {
  mkdirSync(join(folder, "ui/assets"), { recursive: true });
  writeFileSync(join(folder, "secret.js"), "secret");
  writeFileSync(
    join(folder, "ui/index.html"),
    '<!doctype html><html><head><script src="./assets/a.js"></script></head></html>',
  );
  writeFileSync(join(folder, "ui/assets/a.js"), "run()");
  writeFileSync(join(folder, "ui/assets/a.css"), "a{}");
  writeFileSync(join(folder, "ui/assets/long.js"), longText);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("web UI", () => {
  it.each([
    ["", "/"],
    ["/jobs", "/jobs/"],
  ])("has its base path %s in the page before anything is loaded", async (basePath, href) => {
    const text = await createWebUi(basePath, join(folder, "ui")).serve("")?.text();
    expect(text).toContain(`<head><base href="${href}"><script`);
  });

  it("serves its pages at every address below the base path, and its files with their content types", () => {
    const webUi = createWebUi("", join(folder, "ui"));
    for (const page of ["", "chains", "chains/some-id"]) {
      expect(webUi.serve(page)?.headers.get("content-type")).toBe("text/html; charset=utf-8");
    }
    expect(webUi.serve("assets/a.js")?.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(webUi.serve("assets/a.css")?.headers.get("content-type")).toBe("text/css; charset=utf-8");
    expect(webUi.serve("assets/missing.js")).toBeUndefined();
  });

  it("lets browsers keep files with a hash in their names, compressed where that is smaller, and never its pages", async () => {
    const webUi = createWebUi("", join(folder, "ui"));
    const ask = (encoding: string) =>
      webUi.serve("assets/long.js", new Request("http://localhost/", { headers: { "accept-encoding": encoding } }));
    expect(ask("br, gzip")?.headers.get("cache-control")).toBe("private, max-age=31536000, immutable");
    expect(ask("br, gzip")?.headers.get("content-encoding")).toBe("gzip");
    expect(gunzipSync(Buffer.from((await ask("gzip")?.arrayBuffer()) ?? new ArrayBuffer())).toString()).toBe(longText);
    expect(ask("br")?.headers.get("content-encoding")).toBe(null);
    expect(await ask("br")?.text()).toBe(longText);
    expect(ask("br")?.headers.get("vary")).toBe("accept-encoding");
    expect(webUi.serve("")?.headers.get("cache-control")).toBe("no-store");
  });

  it("leaves the compression to Next.js, which drops the header that would tell browsers of it", async () => {
    const request = new Request("http://localhost/", { headers: { "accept-encoding": "gzip" } });
    const asNextCalls = Object.assign(request, { nextUrl: new URL(request.url) });
    const response = createWebUi("", join(folder, "ui")).serve("assets/long.js", asNextCalls);
    expect(response?.headers.get("content-encoding")).toBe(null);
    expect(await response?.text()).toBe(longText);
  });

  it.each(["../secret.js", "assets/../../secret.js", "..%2fsecret.js", "assets/..\\..\\secret.js", "/etc/passwd"])(
    "serves no file outside its folder: %s",
    async (path) => {
      expect(await createWebUi("", join(folder, "ui")).serve(path)?.text()).not.toBe("secret");
    },
  );

  it("reports that it has not been built", async () => {
    const response = createWebUi("", join(folder, "nowhere")).serve("");
    expect(response?.status).toBe(503);
    expect(await response?.text()).toContain("has not been built");
  });
});
