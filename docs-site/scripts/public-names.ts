// Writes the page of public names beside the reference, before the site is built.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { namesPage } from "../names/page.ts";
import { publicNames } from "../samples/exported.ts";
import { root } from "../samples/root.ts";

writeFileSync(join(root, "docs-site/reference/public-names.md"), namesPage(publicNames()));
