import type { BatchOptions } from "./batch.ts";
import type { Client } from "./client.ts";
import type { Env } from "./env.ts";
import type { JobTypes, OwnTypes } from "./job-types.ts";
import type { StepTable } from "./step-table.ts";
import type { At } from "./table.ts";
import type { Completed, Continuation } from "./step-result.ts";

/**
 * The handler of one job type of a slice, to write it away from `createProcessors`, such as in a file of its own.
 *
 * `Added` is what middleware adds to the context of the handlers.
 *
 * @example
 * export const reserveStock: HandlerOf<typeof client, typeof stockJobTypes, "stock.reserve"> = async ({ job }) => ({
 *   reserved: await warehouse.reserve(job.input.sku),
 * });
 */
export type HandlerOf<C, Slice, Name extends keyof OwnTypes<Slice>, Added extends object = {}> = (
  context: ContextOf<C, Slice, Name, Added>,
) => Promise<StepOf<C, Slice, Name>["output"] | Continuation | Completed>;

/**
 * The argument of the handler of one job type of a slice.
 *
 * @example
 * type ReserveContext = ContextOf<typeof client, typeof stockJobTypes, "stock.reserve", { tracer: Logger }>;
 * const reserve = async ({ job, tracer }: ReserveContext) => tracer.info(job.input.sku);
 */
export type ContextOf<C, Slice, Name extends keyof OwnTypes<Slice>, Added extends object = {}> = StepOf<
  C,
  Slice,
  Name
>["context"] &
  Added;

/**
 * The handler of one job type of a slice that gets many jobs in one call, to write it away from `createProcessors`.
 *
 * @example
 * const sendAll: BatchHandlerOf<typeof client, typeof mailJobTypes, "mail.send"> = async ({ jobs }) =>
 *   jobs.map(({ input }) => ({ sent: input.to !== "" }));
 * createProcessors({
 *   client,
 *   jobTypes: mailJobTypes,
 *   processors: { "mail.send": { batch: { maxSize: 100, maxWaitMs: 50, handler: sendAll } } },
 * });
 */
export type BatchHandlerOf<C, Slice, Name extends keyof OwnTypes<Slice>, Added extends object = {}> = BatchOptions<
  StepOf<C, Slice, Name>,
  Added
>["handler"];

type StepOf<C, Slice, Name extends PropertyKey> =
  C extends Client<Env<infer Types, infer Tx>>
    ? Slice extends JobTypes<infer Own, infer _External, infer Form>
      ? At<StepTable<Types, Tx, Own, Form>, Name & keyof Own>
      : never
    : never;
