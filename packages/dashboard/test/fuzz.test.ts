import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { routes } from "../src/protocol/routes.ts";
import { failedOrder, textOf } from "./attack.ts";
import { createStage } from "./stage.ts";

describe("the dashboard", () => {
  const role = fc.constantFrom("viewer", "operator", "admin", "x", "");
  const part = fc.oneof(
    fc.constantFrom("-", "..", "assets", "act", "chain", "%2e%2e", "%00", "index.html", "<script>"),
    fc.string(),
  );
  const query = fc.dictionary(
    fc.constantFrom(
      "id",
      "cursor",
      "typeName",
      "status",
      "from",
      "until",
      "limit",
      "errorText",
      "chain",
      "key",
      "busy",
      "__proto__",
    ),
    fc.oneof(
      fc.string(),
      fc.uuid(),
      fc.constantFrom("-1", "1e309", "9".repeat(40), "'; drop table job --", "\u0000", "\ud800"),
    ),
  );
  const header = fc.tuple(
    fc.constantFrom(
      "origin",
      "sec-fetch-site",
      "content-type",
      "accept",
      "range",
      "x-forwarded-host",
      "x-http-method-override",
    ),
    fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCodePoint(code)) }),
  );

  it("random paths, queries, headers and bodies crash nothing, leak nothing and change nothing", async () => {
    const stage = await createStage();
    const id = await failedOrder(stage);
    const path = fc.oneof(
      fc.constantFrom(...Object.values(routes).map((route) => route.path)),
      fc.array(part, { maxLength: 4 }).map((parts) => parts.join("/")),
    );
    const method = fc.constantFrom("GET", "POST", "PUT", "DELETE", "HEAD");
    const request = fc.record({
      path,
      query,
      method,
      headers: fc.array(header, { maxLength: 3 }),
      role,
      body: fc.json(),
    });
    await fc.assert(
      fc.asyncProperty(request, async (made) => {
        const url = new URL(`http://localhost/${made.path.replaceAll(/[?#]/g, "")}`);
        for (const [name, value] of Object.entries(made.query)) url.searchParams.set(name, value);
        url.host = "localhost";
        const headers = new Headers({ "x-test-role": made.role });
        for (const [name, value] of made.headers) headers.set(name, value);
        const hasBody = made.method !== "GET" && made.method !== "HEAD";
        const response = await stage.dashboard.fetch(
          new Request(url, { method: made.method, headers, ...(hasBody ? { body: made.body } : {}) }),
        );
        const text = response.headers.get("content-type")?.startsWith("text/event-stream")
          ? await response.body?.cancel()
          : await textOf(response);
        // An unknown role is a mistake of the application, so the response is an internal error.
        const isKnownRole = ["viewer", "operator", "admin"].includes(made.role);
        expect(response.status === 500).toBe(!isKnownRole);
        expect(text ?? "").not.toMatch(/node_modules|\.ts:\d|select .* from/);
      }),
      { numRuns: 500, seed: 11 },
    );
    expect(await stage.client.getChain({ id })).toMatchObject({ status: "failed" });
    expect(stage.audited).toEqual([]);
  });
});
