import { expect, it } from "vitest";
import { storeError } from "../src/errors.ts";

const failure = (severity: string) =>
  Object.assign(new Error("could not write init file"), { code: "XX000", severity });

it("takes an internal error of the server that ends the session for a store that is away", () => {
  const error = storeError(failure("FATAL"));
  expect(error).toMatchObject({ code: "store-unavailable", details: { outcome: "unknown" } });
});

it("passes on an internal error of the server that ends only the statement", () => {
  const error = failure("ERROR");
  expect(storeError(error)).toBe(error);
});
