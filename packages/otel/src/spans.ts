import { context, createContextKey, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Attributes, Context, Link, Span, Tracer } from "@opentelemetry/api";
import type { ChainwrightEvent, ContextObserver, EventError, ObservedAttempt } from "chainwright";
import type { ContextText } from "./carrier.ts";
import { attribute, system } from "./conventions.ts";
import { nameThrown } from "./name-thrown.ts";
import { createSpanStarter } from "./start-span.ts";

export interface SpanOptions {
  readonly tracer: Tracer;
  readonly text: ContextText;
  /** Whether an attempt goes on with the trace of its start, or begins one of its own that is linked to it. */
  readonly attemptTrace: "join" | "link";
  readonly errorMessages: "omit" | "include";
}

/** An attempt that runs, as the context of its handler carries it. */
interface RunningAttempt {
  readonly attempt: ObservedAttempt;
  readonly span: Span;
}

const runningKey = createContextKey("chainwright attempt");

/** The spans of jobs: one where a job is started, one an attempt, one for each of its two transactional steps. */
export function createSpans(options: SpanOptions) {
  const { text } = options;
  const startSpan = createSpanStarter(options.tracer);
  const open = new Map<string, Span>();

  const capture: ContextObserver["capture"] = (job) => {
    const active = context.active();
    const span = startSpan({
      name: `${job.operation} ${job.typeName}`,
      kind: SpanKind.PRODUCER,
      parent: active,
      details: () => ({
        // Where jobs are written in batches the conventions give each message a span of its creation.
        attributes: attributesOf({ type: "create", ...job }),
        links: job.operation === "continue" ? linksTo(running(active)?.span) : [],
      }),
    });
    if (span === undefined) return text.write(active);
    const written = text.write(trace.setSpan(active, span));
    // What follows is the store's: it may still refuse or roll back, and it writes many jobs at once.
    span.end();
    return written;
  };

  const run: ContextObserver["run"] = (attempt, body) => {
    const origin = text.read(attempt.context);
    const parent = options.attemptTrace === "join" ? origin : trace.deleteSpan(origin);
    const span = startSpan({
      name: `process ${attempt.typeName}`,
      kind: SpanKind.CONSUMER,
      parent,
      details: () => ({ attributes: attemptAttributes(attempt), links: attemptLinks(text, attempt, origin) }),
    });
    if (span === undefined) return origin === ROOT_CONTEXT ? body() : context.with(origin, body);
    open.set(keyOf(attempt), span);
    return context.with(trace.setSpan(parent, span).setValue(runningKey, { attempt, span }), body);
  };

  const step: NonNullable<ContextObserver["step"]> = (name, body) => {
    const active = context.active();
    const current = running(active);
    // Nobody traces it; or no context manager is there, and nobody knows whose step it is.
    if (current === undefined) return body();
    const { typeName, jobId } = current.attempt;
    const type = name === "complete" ? "settle" : undefined;
    const span = startSpan({
      name: `${name} ${typeName}`,
      kind: SpanKind.INTERNAL,
      parent: active,
      details: () => ({ attributes: attributesOf({ operation: name, type, typeName, jobId }), links: [] }),
    });
    return span === undefined ? body() : within(span, context.with(trace.setSpan(active, span), body));
  };

  /** Ends the span with the step. */
  const within = async <T>(span: Span, stepped: Promise<T>): Promise<T> => {
    try {
      return await stepped;
    } catch (error) {
      const thrown = nameThrown(error);
      if (thrown !== undefined) fail(span, thrown, options);
      throw error;
    } finally {
      span.end();
    }
  };

  return {
    capture,
    run,
    step,
    /** Ends the span of an attempt when the worker says that it is over: a handler that hangs cannot keep it open. */
    onEvent(event: ChainwrightEvent): void {
      if (event.type !== "attempt-ended") return;
      const key = keyOf(event);
      const span = open.get(key);
      if (span === undefined) return;
      open.delete(key);
      if (event.error !== undefined) fail(span, event.error, options);
      span.end();
    },
  };
}

function attributesOf(of: {
  readonly operation: string;
  readonly type: string | undefined;
  readonly typeName: string;
  readonly jobId: string;
}): Attributes {
  return {
    [attribute.system]: system,
    [attribute.operationName]: of.operation,
    ...(of.type !== undefined && { [attribute.operationType]: of.type }),
    [attribute.destination]: of.typeName,
    [attribute.messageId]: of.jobId,
  };
}

function attemptAttributes(attempt: ObservedAttempt): Attributes {
  return {
    ...attributesOf({ operation: "process", type: "process", ...attempt }),
    [attribute.conversationId]: attempt.chainId,
    [attribute.clientId]: attempt.workerId,
    [attribute.attempt]: attempt.attempt,
  };
}

/** To where the job was created, as the conventions demand, and to where each of its blockers was. */
function attemptLinks(text: ContextText, attempt: ObservedAttempt, origin: Context): Link[] {
  const { jobId, chainId, blockers } = attempt;
  return [
    ...linkTo(origin, { [attribute.link]: jobId === chainId ? "start" : "continuation" }),
    ...blockers.flatMap((blocker) =>
      linkTo(text.read(blocker.context), {
        [attribute.link]: "blocker",
        [attribute.destination]: blocker.typeName,
        [attribute.messageId]: blocker.chainId,
      }),
    ),
  ];
}

function linkTo(target: Context, attributes: Attributes): Link[] {
  const spanContext = trace.getSpanContext(target);
  return spanContext === undefined ? [] : [{ context: spanContext, attributes }];
}

/** A continuation is linked to the attempt that goes on with it. */
function linksTo(span: Span | undefined): Link[] {
  if (span === undefined) return [];
  return linkTo(trace.setSpan(ROOT_CONTEXT, span), { [attribute.link]: "continuation" });
}

function running(active: Context): RunningAttempt | undefined {
  const value = active.getValue(runningKey);
  return isRunning(value) ? value : undefined;
}

function isRunning(value: unknown): value is RunningAttempt {
  return typeof value === "object" && value !== null && "attempt" in value && "span" in value;
}

function keyOf({ jobId, attempt }: { readonly jobId: string; readonly attempt: number }): string {
  return `${jobId} ${attempt}`;
}

function fail(span: Span, error: EventError, { errorMessages }: SpanOptions): void {
  const message = errorMessages === "include" ? error.message : undefined;
  span.setAttribute(attribute.errorType, error.name);
  span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
  span.addEvent("exception", {
    [attribute.exceptionType]: error.name,
    ...(message !== undefined && { [attribute.exceptionMessage]: message }),
  });
}
