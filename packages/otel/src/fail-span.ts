import { SpanStatusCode, type Span } from "@opentelemetry/api";
import type { EventError } from "chainwright/adapter";
import { attribute } from "./conventions.ts";

/** Whether spans contain the messages of errors, which may quote payloads, or only their types. */
export type ErrorMessages = "omit" | "include";

/** Marks a span as failed. */
export function failSpan(span: Span, error: EventError, messages: ErrorMessages): void {
  const message = messages === "include" ? error.message : undefined;
  span.setAttribute(attribute.errorType, error.name);
  span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
  span.addEvent("exception", {
    [attribute.exceptionType]: error.name,
    ...(message !== undefined && { [attribute.exceptionMessage]: message }),
  });
}
