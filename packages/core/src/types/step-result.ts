declare const step: unique symbol;

/**
 * What `continueWith` answers: return it to go on with that step.
 *
 * @example
 * function ship(continueWith: (step: { typeName: "order.ship"; input: { orderId: string } }) => Continuation) {
 *   return continueWith({ typeName: "order.ship", input: { orderId } }); // what the handler then returns
 * }
 */
export interface Continuation {
  readonly [step]: "continuation";
}

/**
 * What `complete` answers: return it to say that the step was ended in a transaction.
 *
 * @example
 * async function confirm(): Promise<Completed> {
 *   return await complete(async ({ tx }) => {
 *     await tx.query("update orders set paid = true where id = $1", [orderId]);
 *     return { receipt: "r-1" };
 *   });
 * }
 */
export interface Completed {
  readonly [step]: "completed";
}
