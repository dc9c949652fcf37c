// Checks the built site for links to missing headings; VitePress itself checks only links to pages.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../samples/root.ts";

const site = join(root, "docs-site/.vitepress/dist");

interface Page {
  /** The path in an address: `/guides/chains`. */
  readonly path: string;
  readonly places: ReadonlySet<string>;
  readonly links: readonly string[];
}

const pages = new Map(
  globSync("**/*.html", { cwd: site })
    .map((file) => pageOf(file))
    .map((page) => [page.path, page]),
);
const dead = [...pages.values()].flatMap((page) =>
  page.links.filter((link) => isDead(link, page)).map((link) => `${page.path}: ${link}`),
);
for (const line of new Set(dead)) console.log(`dead link on ${line}`);
if (pages.size === 0) throw new Error(`there is no built site in ${site}`);
if (dead.length > 0) process.exitCode = 1;
else console.log(`${pages.size} pages: every link leads to an existing page and heading`);

function pageOf(file: string): Page {
  const html = readFileSync(join(site, file), "utf8");
  const main = /<main[^]*<\/main>/.exec(html)?.[0] ?? html;
  return {
    path: `/${file.replace(/(?:(?<=^|\/)index)?\.html$/, "")}`,
    places: new Set(Array.from(html.matchAll(/\sid="([^"]+)"/g), ([, id = ""]) => id)),
    links: Array.from(main.matchAll(/<a\s[^>]*?href="([^"]*)"/g), ([, href = ""]) => href),
  };
}

function isDead(link: string, page: Page): boolean {
  const url = new URL(link.replaceAll("&amp;", "&"), `http://site${page.path}`);
  if (url.host !== "site" || /\.\w+$/.test(url.pathname)) return false;
  const target = pages.get(url.pathname);
  return target === undefined || (url.hash !== "" && !target.places.has(decodeURIComponent(url.hash.slice(1))));
}
