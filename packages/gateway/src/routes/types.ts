import type { Asked, Context } from "../context.ts";
import { json, type Reply } from "../http/message.ts";
import { jsonSchemaOf } from "../json-schema.ts";
import type { GatewayVerb } from "../options.ts";

const verbs: readonly GatewayVerb[] = ["start", "work", "read", "admin"];

/** The job types that the key may see. */
export function types({ definitions, remote }: Context, { caller }: Asked): Reply {
  const names = new Set([...definitions.keys(), ...(remote.typeNames ?? [])]);
  const seen = [...names].filter((name) => caller.sees(name)).sort();
  return json({
    types: seen.map((name) => {
      const { entry = false, input, output } = definitions.get(name) ?? {};
      return {
        name,
        entry,
        elsewhere: remote.typeNames?.includes(name) ?? true,
        verbs: verbs.filter((verb) => caller.may(verb, name)),
        input: jsonSchemaOf(input, "input"),
        output: jsonSchemaOf(output, "output"),
      };
    }),
  });
}
