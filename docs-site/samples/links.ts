import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./root.ts";

/** Returns the links of a README to missing files or headings of this repository, one line each. */
export function deadLinksOf(file: string, markdown: string): readonly string[] {
  const links = Array.from(markdown.matchAll(/\]\(([^)\s]+)\)/g), ([, link = ""]) => link);
  return links
    .filter((link) => !/^(?:https?:|mailto:)/.test(link) && isDead(link, file))
    .map((link) => `${file}: dead link ${link}`);
}

function isDead(link: string, file: string): boolean {
  const [path = "", place] = link.split("#");
  const target = path === "" ? join(root, file) : join(root, dirname(file), path);
  if (!existsSync(target)) return true;
  return place !== undefined && !headingsOf(readFileSync(target, "utf8")).includes(place);
}

/** Returns headings in the form of addresses: lower case, a dash for each space, without other signs. */
function headingsOf(markdown: string): readonly string[] {
  return Array.from(markdown.matchAll(/^#+ (.*)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
