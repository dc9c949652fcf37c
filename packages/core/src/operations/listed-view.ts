import type { StoredVersions } from "../checks/stored-versions.ts";
import { UnreadableInput } from "../checks/unreadable-input.ts";
import type { ReadStored, View } from "./views.ts";

/**
 * A record in a list. One that cannot be read must hide neither the others nor its own status: it has a sentence about it, and only
 * who reads its input or output gets the error. The property is not enumerable, so that the record can be copied and written as JSON.
 */
export function listedView<Row>(
  versions: StoredVersions,
  view: (row: Row, read: ReadStored) => View,
): (row: Row) => View {
  return (row) => {
    const errors: UnreadableInput[] = [];
    const made = view(row, (stored, text) => {
      try {
        return versions.read(stored, text);
      } catch (error) {
        if (!(error instanceof UnreadableInput)) throw error;
        errors.push(error);
        return undefined;
      }
    });
    return errors.length === 0 ? made : withoutPayloads(made, errors);
  };
}

function withoutPayloads(made: View, errors: readonly UnreadableInput[]): View {
  const view = { ...made, unreadable: errors.map(({ message }) => message).join(" ") };
  for (const error of errors) {
    const get = (): never => {
      throw error;
    };
    Object.defineProperty(view, error.stored.payload, { enumerable: false, configurable: true, get });
  }
  return view;
}
