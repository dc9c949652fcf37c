import { createHash } from "node:crypto";
import { createGateway } from "@chainwright/gateway";
import { createClient, createInProcessStateAdapter } from "chainwright";
import { jobTypes } from "./job-types.ts";

const used = ["/v1/exchange", "/v1/leases"];

interface Document {
  readonly paths: Readonly<Record<string, unknown>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

/** The OpenAPI document of the gateway, cut to what a worker uses, as text, and its digest. */
export async function workerDocument(): Promise<{ readonly text: string; readonly digest: string }> {
  const client = createClient({ stateAdapter: createInProcessStateAdapter(), jobTypes, observers: [] });
  const gateway = createGateway({ client, keys: [], tokenSecrets: ["not used, because it signs no token"] });
  try {
    const response = await gateway.fetch(new Request("http://gateway.test/openapi.json"));
    const document = (await response.json()) as Document;
    const paths = Object.fromEntries(used.map((path) => [path, document.paths[path]]));
    const { schemas } = document.components;
    const names = reached(paths, schemas);
    const kept = Object.entries(schemas).filter(([name]) => names.has(name));
    const components = { ...document.components, schemas: Object.fromEntries(kept) };
    const text = JSON.stringify({ ...document, paths, components }, null, 2);
    return { text, digest: createHash("sha256").update(text).digest("hex") };
  } finally {
    await gateway.close();
    await client.close();
  }
}

/** The names of the schemas that a part of the document refers to, directly or not. */
function reached(part: unknown, schemas: Document["components"]["schemas"]): ReadonlySet<string> {
  const names = new Set<string>();
  const look = (at: unknown): void => {
    for (const [, name = ""] of JSON.stringify(at).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (names.has(name)) continue;
      names.add(name);
      look(schemas[name]);
    }
  };
  look(part);
  return names;
}
