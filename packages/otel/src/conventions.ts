/**
 * Names of OpenTelemetry's semantic conventions for messaging, which are still in development and therefore in no stable
 * package; and names of our own where the conventions have none.
 */
export const attribute = {
  system: "messaging.system",
  operationName: "messaging.operation.name",
  operationType: "messaging.operation.type",
  destination: "messaging.destination.name",
  messageId: "messaging.message.id",
  conversationId: "messaging.message.conversation_id",
  clientId: "messaging.client.id",
  batchSize: "messaging.batch.message_count",
  errorType: "error.type",
  exceptionType: "exception.type",
  exceptionMessage: "exception.message",
  exceptionStacktrace: "exception.stacktrace",
  exceptionCauses: "chainwright.exception.causes",
  attempt: "chainwright.attempt",
  batchFailed: "chainwright.batch.failed",
  link: "chainwright.link",
  signal: "chainwright.signal",
  status: "chainwright.job.status",
  version: "chainwright.job.version",
  pool: "chainwright.job.pool",
  reason: "chainwright.reason",
  exchangePart: "chainwright.exchange.part",
  connection: "chainwright.connection",
  chore: "chainwright.chore",
  limit: "chainwright.limit",
  logLevel: "chainwright.log.level",
  logMessage: "chainwright.log.message",
  logData: "chainwright.log.data",
} as const;

/** The value of `messaging.system`. */
export const system = "chainwright";

/** The name of the instrumentation scope of spans and metrics. */
export const scope = "@chainwright/otel";

/** The value that the conventions prescribe for values beyond a limit. */
export const other = "_OTHER";
