import { ConformanceFailure } from "./check.ts";
import { showBriefly } from "./show.ts";

/** A call of an adapter that has ended. */
export interface Call {
  readonly method: string;
  readonly request: readonly unknown[];
  readonly ending: { readonly reply: unknown } | { readonly error: unknown };
}

/** Remembers the last calls of adapters, for the message of a rule that fails. */
export interface LastCall {
  /** The same adapter; its calls are remembered. */
  watch<Adapter extends object>(adapter: Adapter): Adapter;
  /** Throws the failure of a rule with the last call, and the last one that wrote if that is another. */
  fail(error: unknown): never;
}

const longest = 1_000;

/**
 * @param isRead Whether a method only reads
 * @param isIdle Whether a call changed and returned nothing, so that it is not worth showing
 */
export function rememberLastCall(
  isRead: (method: string) => boolean = () => false,
  isIdle: (call: Call) => boolean = () => false,
): LastCall {
  let last: Call | undefined;
  let lastWrite: Call | undefined;
  const remember = (call: Call): void => {
    if (isIdle(call)) return;
    last = call;
    if (!isRead(call.method)) lastWrite = call;
  };
  const lines = (): readonly string[] => [
    ...(lastWrite === undefined || lastWrite === last ? [] : linesOf("last write", lastWrite)),
    ...(last === undefined ? [] : linesOf("last call", last)),
  ];
  return {
    watch: (adapter) => watched(adapter, remember),
    fail: (error) => {
      throw withLines(error, lines());
    },
  };
}

function watched<Adapter extends object>(adapter: Adapter, remember: (call: Call) => void): Adapter {
  return new Proxy(adapter, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function" || typeof name !== "string") return member;
      return (...request: readonly unknown[]): unknown => {
        const result: unknown = Reflect.apply(member, target, request);
        if (!(result instanceof Promise)) return result;
        return result.then(
          (reply: unknown) => {
            remember({ method: name, request, ending: { reply } });
            return reply;
          },
          (error: unknown) => {
            remember({ method: name, request, ending: { error } });
            throw error;
          },
        );
      };
    },
  });
}

function linesOf(title: string, { method, request, ending }: Call): readonly string[] {
  const shown = request.map((argument) => bounded(showBriefly(argument, 2)));
  const outcome =
    "reply" in ending
      ? `its reply: ${bounded(showBriefly(ending.reply, 2))}`
      : `its error: ${bounded(showBriefly(ending.error, 2))}`;
  return [`${title}: ${method}(${shown.join(", ")})`, outcome];
}

function bounded(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}... (${text.length} characters)` : text;
}

/** The error with these lines at the end of its message. An error of the adapter keeps its stack, which leads to its cause. */
function withLines(error: unknown, lines: readonly string[]): unknown {
  if (lines.length === 0 || !(error instanceof Error)) return error;
  const added = lines.map((line) => `\n  ${line}`).join("");
  if (error instanceof ConformanceFailure) {
    const { message } = error;
    error.message += added;
    error.stack = error.stack?.replace(message, () => error.message) ?? error.message;
    return error;
  }
  const failure = new ConformanceFailure(`it threw ${error.name}: ${error.message}${added}`, {}, { cause: error });
  const frames = error.stack?.split("\n").filter((line) => /^\s+at /.test(line)) ?? [];
  failure.stack = [`${failure.name}: ${failure.message}`, ...frames].join("\n");
  return failure;
}
