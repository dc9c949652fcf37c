import { expect, it } from "vitest";
import { createPostgresStateAdapter, withTransactions, type PostgresDriver } from "../src/index.ts";

const driver: PostgresDriver = {
  query: async () => [],
  transaction: async (run) => run({}),
  close: async () => {},
};

it.each([
  ["undefined", undefined, "return the result itself"],
  ["an object with rows", { rows: [] }, "return its `rows`"],
  ["null", null, "return the result itself"],
])("says what is wrong with a query that returns %s", async (_, returned, advice) => {
  const transactions = withTransactions<object>(driver, {
    begin: (run) => run({}),
    // A mistake: the form of another library.
    query: () => Promise.resolve(returned as unknown as readonly object[]),
  });
  const adapter = createPostgresStateAdapter({ driver: transactions });
  const error = { code: "invalid-input", message: expect.stringContaining(advice) as string };
  await expect(adapter.migrate()).rejects.toMatchObject(error);
  await expect(adapter.transaction((tx) => adapter.getChains(["a"], { tx }))).rejects.toMatchObject(error);
});
