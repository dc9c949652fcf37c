import { defineJobTypes, type StoppedChain } from "chainwright";
import { z } from "zod";

/** What a callback is about, and where it goes. */
export interface CallbackInput {
  readonly chainId: string;
  readonly typeName: string;
  readonly url: string;
  readonly format: "json" | "cloudevents";
  /** Who asked for it: the name of a key of the gateway, or what `addCallback` was given. */
  readonly by?: string | undefined;
}

/** What is to be delivered. */
export interface DeliveryInput extends CallbackInput {
  /** The id of the callback, which is the id of the event in each attempt. */
  readonly eventId: string;
  /** How the chain stopped. Undefined: it has completed. */
  readonly stopped?: StoppedEnd | undefined;
}

/** The end of a chain that may be retried, as it was. */
export interface StoppedEnd {
  readonly status: "failed" | "cancelled";
  /** ISO 8601. */
  readonly endedAt: string;
  readonly error?: { readonly code?: string | undefined; readonly message: string } | undefined;
  readonly reason?: string | undefined;
}

/** What became of a delivery. */
export interface CallbackResult {
  /** `gone`: the receiver replied 410; `disabled`: it has no secrets; `deleted`: the chain was deleted before it could be told. */
  readonly result: "delivered" | "gone" | "disabled" | "deleted";
  /** Of the last response. */
  readonly status?: number | undefined;
}

const callback = {
  chainId: z.uuid(),
  typeName: z.string(),
  url: z.string(),
  format: z.enum(["json", "cloudevents"]),
  by: z.string().optional(),
};
const input: z.ZodType<CallbackInput, CallbackInput> = z.strictObject(callback);
const deliveryInput: z.ZodType<DeliveryInput, DeliveryInput> = z.strictObject({
  ...callback,
  eventId: z.uuid(),
  stopped: z
    .strictObject({
      status: z.enum(["failed", "cancelled"]),
      endedAt: z.string(),
      error: z.strictObject({ code: z.string().optional(), message: z.string() }).optional(),
      reason: z.string().optional(),
    })
    .optional(),
});
const result: z.ZodType<CallbackResult, CallbackResult> = z.strictObject({
  result: z.enum(["delivered", "gone", "disabled", "deleted"]),
  status: z.int().optional(),
});
const begun: z.ZodType<{ deliveryId: string }, { deliveryId: string }> = z.strictObject({ deliveryId: z.uuid() });
const stopped = z.looseObject({ chain: z.looseObject({ input }) });
const stoppedInput = z.custom<StoppedChain<CallbackInput>>((value) => stopped.safeParse(value).success);

/** Waits for a chain. */
export const callbackName = "gateway.callback";
/** Follows a callback whose chain has failed or was cancelled. */
export const stoppedCallbackName = "gateway.callback-stopped";
/** Sends one event, in several attempts if need be. */
export const deliveryName = "gateway.callback-delivery";

/**
 * The job types of callbacks: one of the slices of the client. `gateway.callback` waits for the chain, and then starts
 * `gateway.callback-delivery`. If the chain stops, so does the callback, in the same statement, and `gateway.callback-stopped` follows,
 * which continues with the delivery.
 *
 * @example
 * const client = createClient({ stateAdapter, jobTypes: [jobTypes, callbackJobTypes] });
 */
export const callbackJobTypes = defineJobTypes({
  "gateway.callback": { entry: true, input, output: begun, whenStopped: "gateway.callback-stopped" },
  "gateway.callback-stopped": {
    entry: true,
    input: stoppedInput,
    output: z.null(),
    continueWith: ["gateway.callback-delivery"],
  },
  "gateway.callback-delivery": { entry: true, input: deliveryInput, output: result },
});
