import { z } from "@hono/zod-openapi";

/**
 * The JSON Schema of a schema, where its library can produce one; otherwise undefined.
 *
 * @param io what the schema takes, or what it makes of that
 * @example
 * for (const [name, { input }] of definitionsOf(client)) console.log(name, jsonSchemaOf(input, "input"));
 */
export function jsonSchemaOf(schema: unknown, io: "input" | "output"): unknown {
  try {
    if (schema instanceof z.ZodType) return z.toJSONSchema(schema, { io, unrepresentable: "any" });
    const standard: unknown = property(property(schema, "~standard"), "jsonSchema");
    const make = property(standard, io);
    return typeof make === "function" ? Reflect.apply(make, standard, [{ target: "draft-2020-12" }]) : undefined;
  } catch {
    // A schema with transformations may have none: then any JSON goes.
    return undefined;
  }
}

function property(value: unknown, key: string): unknown {
  return (typeof value === "object" || typeof value === "function") && value !== null
    ? Reflect.get(value, key)
    : undefined;
}
