import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { builtUi } from "./built-ui.ts";

const mostBytes = 150 * 1_024;
/** Fonts and images are already compressed. */
const compressible = /\.(?:html|js|css|svg)$/;

export function bundle() {
  it("is under 150 KB compressed in total", async () => {
    const sizes = (await served()).map(({ name, body }) =>
      compressible.test(name) ? gzipSync(body).length : body.length,
    );
    expect(sizes.length).toBeGreaterThan(3);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(mostBytes);
  });

  it("works below any path and under its content security policy: no absolute addresses, nothing inline, no eval", async () => {
    const files = await served();
    const page = textOf(files, /\.html$/);
    const addresses = Array.from(page.matchAll(/(?:src|href)="([^"]*)"/g), ([, address]) => address ?? "");
    expect(addresses.length).toBeGreaterThan(2);
    expect(addresses.filter((address) => !address.startsWith("./assets/"))).toEqual([]);
    expect(page).not.toMatch(/<style|style=|<script(?![^>]*src=)| on[a-z]+=/i);
    expect(textOf(files, /\.css$/)).not.toMatch(/url\((?!["']?\.\/)|@import/);
    expect(textOf(files, /\.js$/)).not.toMatch(
      /\beval\(|new Function\(|dangerouslySetInnerHTML\s*:\s*\{|document\.write/,
    );
  });
}

async function served(): Promise<readonly { readonly name: string; readonly body: Buffer }[]> {
  const folder = await builtUi();
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".md"))
    .map((entry) => ({ name: entry.name, body: readFileSync(join(entry.parentPath, entry.name)) }));
}

function textOf(files: Awaited<ReturnType<typeof served>>, name: RegExp): string {
  return files
    .filter((file) => name.test(file.name))
    .map(({ body }) => body.toString("utf8"))
    .join("\n");
}
