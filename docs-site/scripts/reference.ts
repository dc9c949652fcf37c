// Writes the reference from the docstrings before the site is built: one page for each door of each package.
import { dirname, join } from "node:path";
import { Application, Converter, ReflectionKind, type TypeDocOptions } from "typedoc";
import { MarkdownPageEvent, type PluginOptions } from "typedoc-plugin-markdown";
import { doors } from "../samples/doors.ts";
import { root } from "../samples/root.ts";
import { groupExports, groupOrder } from "./groups.ts";
import { tidy } from "./tidy.ts";

const all = doors();
// TypeDoc calls a module after its file: `postgres/src/drivers/pg`.
const nameOf = new Map(all.map(({ name, source }) => [source.replace(/^packages\/|(\/index)?\.ts$/g, ""), name]));

const options: Partial<TypeDocOptions & PluginOptions> = {
  plugin: ["typedoc-plugin-markdown", "typedoc-vitepress-theme"],
  entryPoints: all.map(({ source }) => join(root, source)),
  tsconfig: join(root, "docs-site/scripts/tsconfig.reference.json"),
  name: "Reference",
  readme: "none",
  out: join(root, "docs-site/reference"),
  router: "module",
  groupOrder,
  entryFileName: "index",
  hideBreadcrumbs: true,
  hidePageHeader: true,
  useCodeBlocks: true,
  expandObjects: true,
  parametersFormat: "table",
  propertyMembersFormat: "table",
  interfacePropertiesFormat: "table",
  typeDeclarationFormat: "table",
  disableSources: true,
  excludeInternal: true,
  excludePrivate: true,
  excludeExternals: true,
  logLevel: "Error",
};

/** The plugin mistakes `ChainwrightErrorCode` for a second `ChainwrightError.code`, but a page has each export once. */
function withAnchors(contents: string): string {
  return contents.replaceAll(/\]\(#([a-z]+)-\d+\)/g, (link, name: string) =>
    new RegExp(`^### ${name}$`, "im").test(contents) ? `](#${name})` : link,
  );
}

/** Converts links between pages, which are relative to their page, to addresses of the site. */
function withAddresses(contents: string, url: string): string {
  return contents.replaceAll(
    /\]\(([^)#\s:]+\.md)/g,
    (_link, path: string) => `](${addressOf(join(dirname(url), path))}`,
  );
}

/** A door with further doors below it is the index page of their folder, because some servers confuse a file with a folder of its name. */
function addressOf(url: string): string {
  const name = url.replace(/\.md$/, "");
  if (name === "index") return "/reference/";
  return all.some((door) => door.name.startsWith(`${name}/`)) ? `/reference/${name}/` : `/reference/${name}`;
}

// An option of the theme for VitePress, which exports no type for it.
const themeOptions = { docsRoot: join(root, "docs-site") };

const app = await Application.bootstrapWithPlugins({ ...options, ...themeOptions });
app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
  for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
    module.name = nameOf.get(module.name) ?? module.name;
  }
  groupExports(project);
});
// Runs before TypeDoc computes which types extend which.
app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => tidy(project), 1_000);
app.renderer.on(MarkdownPageEvent.END, (page) => {
  const { contents = "", url } = page;
  page.contents = withAddresses(withAnchors(contents), url);
  const address = addressOf(url);
  if (address.endsWith("/")) page.filename = join(root, "docs-site", address, "index.md");
});
const project = await app.convert();
if (project === undefined) throw new Error("the sources do not compile");
await app.generateOutputs(project);
if (app.logger.hasErrors()) process.exitCode = 1;
