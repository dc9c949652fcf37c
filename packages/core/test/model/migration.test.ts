import { expect, it } from "vitest";
import { checkNotTooNew, isContractPending, planMigration, type Migration } from "../../src/model/migration.ts";

const steps: readonly Migration[] = [
  { expand: ["create 1"] },
  { expand: ["add 2"], contract: ["drop 1"] },
  { expand: ["add 3"], contract: ["drop 2"] },
];

it("runs all steps on a new store, and at once removes what older versions would use", () => {
  expect(planMigration({ version: 0, compatibleFrom: 1 }, steps, {})).toEqual({
    version: 3,
    compatibleFrom: 3,
    leavesBehind: undefined,
    statements: ["create 1", "add 2", "add 3", "drop 1", "drop 2"],
  });
});

it("keeps what older versions use in a store that they may share", () => {
  expect(planMigration({ version: 1, compatibleFrom: 1 }, steps, {})).toEqual({
    version: 3,
    compatibleFrom: 1,
    leavesBehind: undefined,
    statements: ["add 2", "add 3"],
  });
});

it("removes it when asked, and says which workers must not be alive", () => {
  expect(planMigration({ version: 2, compatibleFrom: 2 }, steps, { contract: true })).toEqual({
    version: 3,
    compatibleFrom: 3,
    leavesBehind: 3,
    statements: ["add 3", "drop 2"],
  });
});

it("does nothing in a store that is up to date, or newer", () => {
  expect(planMigration({ version: 3, compatibleFrom: 3 }, steps, { contract: true }).statements).toEqual([]);
  const newer = planMigration({ version: 5, compatibleFrom: 2 }, steps.slice(0, 2), {});
  expect(newer).toEqual({ version: 5, compatibleFrom: 2, leavesBehind: undefined, statements: [] });
});

it("says whether something for older versions is left", () => {
  expect(isContractPending({ version: 0, compatibleFrom: 1 }, steps)).toBe(false);
  expect(isContractPending({ version: 1, compatibleFrom: 1 }, steps)).toBe(false);
  expect(isContractPending({ version: 3, compatibleFrom: 2 }, steps)).toBe(true);
  expect(isContractPending({ version: 3, compatibleFrom: 3 }, steps)).toBe(false);
});

it("refuses a store only if a newer version has removed what this one uses", () => {
  expect(() => checkNotTooNew({ version: 9, compatibleFrom: 3 }, 3, "the store")).not.toThrow();
  const refused = { code: "schema-too-new", details: { version: 9, compatibleFrom: 4, newest: 3 } };
  expect(() => checkNotTooNew({ version: 9, compatibleFrom: 4 }, 3, "the store")).toThrow(
    expect.objectContaining(refused),
  );
});
