/**
 * Names of OpenTelemetry's semantic conventions for messaging, which are still in development and so stand in no stable
 * package; and ours, for what they lack.
 */
export const attribute = {
  system: "messaging.system",
  operationName: "messaging.operation.name",
  operationType: "messaging.operation.type",
  destination: "messaging.destination.name",
  messageId: "messaging.message.id",
  conversationId: "messaging.message.conversation_id",
  clientId: "messaging.client.id",
  errorType: "error.type",
  exceptionType: "exception.type",
  exceptionMessage: "exception.message",
  attempt: "chainwright.attempt",
  link: "chainwright.link",
  status: "chainwright.job.status",
  reason: "chainwright.reason",
  exchangePart: "chainwright.exchange.part",
  connection: "chainwright.connection",
  chore: "chainwright.chore",
} as const;

/** The value of `messaging.system`. */
export const system = "chainwright";

/** The name of the instrumentation scope of spans and metrics. */
export const scope = "@chainwright/otel";

/** What the conventions want in the place of a value that is one too many. */
export const other = "_OTHER";
