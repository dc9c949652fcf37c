import {
  createClient,
  createInProcessStateAdapter,
  defineJobTypes,
  type Continuation,
  type StateAdapter,
} from "chainwright";

/** The transaction handle of the tests: a type that is used for nothing else. */
export interface TestTx {
  readonly query: (text: string) => Promise<void>;
}

/** The flagship example: a line, a loop, a branch, a merge, and blockers with a rest element. */
export const orderJobTypes = defineJobTypes<{
  "order.place": { entry: true; input: { orderId: string }; continueWith: "order.charge" };
  "order.charge": {
    input: { orderId: string; cents: number };
    output: { receipt: string };
    continueWith: "order.charge" | "order.refund";
    blockers: ["stock.reserve", ..."fraud.check"[]];
  };
  "order.refund": { input: { orderId: string }; output: { refunded: true } };
  "stock.reserve": { entry: true; input: { sku: string }; output: { reserved: number } };
  "fraud.check": { entry: true; input: { orderId: string }; output: { score: number } };
}>();

export const stateAdapter: StateAdapter<TestTx> = createInProcessStateAdapter() as never;

export const client = createClient({ stateAdapter, jobTypes: orderJobTypes });

const continuation: Continuation = {} as never;

/** Handlers of the types that a test does not need. */
export const others = {
  "order.place": async () => continuation,
  "order.charge": async () => ({ receipt: "r" }),
  "order.refund": async () => ({ refunded: true as const }),
  "stock.reserve": async () => ({ reserved: 1 }),
  "fraud.check": async () => ({ score: 1 }),
};
