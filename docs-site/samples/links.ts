import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./root.ts";

/** Links of a README to a file of this repository that is not there, or to a heading that it does not have; a line each. */
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

/** As they stand in an address: lower case, a dash for each space, nothing for other signs. */
function headingsOf(markdown: string): readonly string[] {
  return Array.from(markdown.matchAll(/^#+ (.*)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
