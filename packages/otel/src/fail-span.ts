import { SpanStatusCode, type Attributes, type Span } from "@opentelemetry/api";
import { errorText, type EventError } from "chainwright/adapter";
import { attribute } from "./conventions.ts";

/** Whether spans contain the messages of errors, which may quote payloads, or only their types. */
export type ErrorMessages = "omit" | "include";

/** Marks a span as failed. */
export function failSpan(span: Span, error: EventError, messages: ErrorMessages): void {
  const isTold = messages === "include";
  span.setAttribute(attribute.errorType, error.name);
  span.setStatus({ code: SpanStatusCode.ERROR, ...(isTold && { message: error.message }) });
  span.addEvent("exception", { ...typesOf(error), ...(isTold && textsOf(error)) });
}

/** The classes and codes of an error and its causes: never a payload. */
function typesOf(error: EventError): Attributes {
  const causes = causesOf(error);
  return {
    [attribute.exceptionType]: error.name,
    ...(causes.length > 0 && { [attribute.exceptionCauses]: causes }),
  };
}

/** The stack contains the messages, frames and causes. */
function textsOf(error: EventError): Attributes {
  return { [attribute.exceptionMessage]: error.message, [attribute.exceptionStacktrace]: errorText(error) };
}

function causesOf({ cause, errors = [] }: EventError): string[] {
  return [cause, ...errors].flatMap((each) =>
    each === undefined ? [] : [each.code === undefined ? each.name : `${each.name} [${each.code}]`, ...causesOf(each)],
  );
}
