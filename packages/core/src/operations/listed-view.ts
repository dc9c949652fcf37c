import { invalid } from "../checks/check-options.ts";
import type { StoredVersions } from "../checks/stored-versions.ts";
import { UnreadableInput } from "../checks/unreadable-input.ts";
import type { ReadStored, View } from "./views.ts";

/**
 * A record in a list. One that cannot be read must hide neither the others nor its own status: it has a sentence about it, and only
 * who reads its input or output gets the error, and likewise for a payload that the list has left out. The property is not enumerable, so that the record can be copied and written as JSON.
 */
export function listedView<Row>(
  versions: StoredVersions,
  view: (row: Row, read: ReadStored) => View,
): (row: Row) => View {
  return (row) => {
    const unread: Unread[] = [];
    const made = view(row, (stored, text, omittedBytes) => {
      try {
        if (omittedBytes !== undefined) throw omittedError(stored.payload, omittedBytes);
        return versions.read(stored, text);
      } catch (error) {
        if (omittedBytes === undefined && !(error instanceof UnreadableInput)) throw error;
        unread.push({ payload: stored.payload, error });
        return undefined;
      }
    });
    return unread.length === 0 ? made : withoutPayloads(made, unread);
  };
}

interface Unread {
  readonly payload: string;
  readonly error: unknown;
}

function omittedError(payload: string, bytes: number): Error {
  return invalid(
    `the ${payload} was left out of this list, because it has ${bytes} bytes; read it with getChain or getJob, or raise mostPayloadBytes.`,
  );
}

function withoutPayloads(made: View, unread: readonly Unread[]): View {
  const errors = unread.map(({ error }) => error).filter((error) => error instanceof UnreadableInput);
  const sentences = errors.map(({ message }) => message).join(" ");
  const view = sentences === "" ? { ...made } : { ...made, unreadable: sentences };
  for (const { payload, error } of unread) {
    const get = (): never => {
      throw error;
    };
    Object.defineProperty(view, payload, { enumerable: false, configurable: true, get });
  }
  return view;
}
