/**
 * Words by which users find a chain: names with values, such as `{ orderId: "42" }`.
 *
 * @example
 * const tags: Tags = { orderId, tenant: "acme" };
 * await client.startChain({ typeName: "order.place", input: { orderId }, tags });
 * const { items } = await client.listChains({ tags: { orderId } });
 */
export type Tags = Readonly<Record<string, string>>;
