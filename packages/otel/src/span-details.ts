import { trace, type Attributes, type Context, type Link, type Span } from "@opentelemetry/api";
import type { ObservedAttempt, ObservedBatchJob } from "chainwright/adapter";
import type { ContextText } from "./carrier.ts";
import { attribute, system } from "./conventions.ts";

export interface JobOperation {
  readonly operation: string;
  readonly type: string | undefined;
  readonly typeName: string;
  readonly jobId: string;
  /** Of a span that is about many jobs: all of them. */
  readonly batch?: readonly unknown[] | undefined;
}

/** The attributes that every span has: of its job, or of its jobs. */
export function jobAttributes({ operation, type, typeName, jobId, batch }: JobOperation): Attributes {
  return {
    [attribute.system]: system,
    [attribute.operationName]: operation,
    ...(type !== undefined && { [attribute.operationType]: type }),
    [attribute.destination]: typeName,
    ...(batch === undefined ? { [attribute.messageId]: jobId } : { [attribute.batchSize]: batch.length }),
  };
}

export function attemptAttributes(attempt: ObservedAttempt): Attributes {
  return {
    ...jobAttributes({ operation: "process", type: "process", ...attempt }),
    [attribute.clientId]: attempt.workerId,
    ...(attempt.batch === undefined && {
      [attribute.conversationId]: attempt.chainId,
      [attribute.attempt]: attempt.attempt,
    }),
  };
}

/** Links to the creation of each job of a batch. */
export function batchLinks(text: ContextText, batch: readonly ObservedBatchJob[]): Link[] {
  return batch.flatMap(({ jobId, chainId, attempt, context }) =>
    linkTo(text.read(context), {
      [attribute.link]: jobId === chainId ? "start" : "continuation",
      [attribute.messageId]: jobId,
      [attribute.conversationId]: chainId,
      [attribute.attempt]: attempt,
    }),
  );
}

/** Links to the creation of the job, as the conventions require, and to the creation of each of its blockers. */
export function attemptLinks(text: ContextText, attempt: ObservedAttempt, origin: Context): Link[] {
  const { jobId, chainId, blockers, signals = [] } = attempt;
  return [
    ...linkTo(origin, { [attribute.link]: jobId === chainId ? "start" : "continuation" }),
    ...blockers.flatMap((blocker) =>
      linkTo(text.read(blocker.context), {
        [attribute.link]: "blocker",
        [attribute.destination]: blocker.typeName,
        [attribute.messageId]: blocker.chainId,
      }),
    ),
    ...signals.flatMap((signal) =>
      linkTo(text.read(signal.context), { [attribute.link]: "signal", [attribute.signal]: signal.signal }),
    ),
  ];
}

/** Links a continuation to the attempt that created it, if an attempt did. */
export function continuationLinks(attempt: Span | undefined): Link[] {
  return attempt === undefined
    ? []
    : [{ context: attempt.spanContext(), attributes: { [attribute.link]: "continuation" } }];
}

function linkTo(target: Context, attributes: Attributes): Link[] {
  const spanContext = trace.getSpanContext(target);
  return spanContext === undefined ? [] : [{ context: spanContext, attributes }];
}
