import type { ErrorView } from "../../../src/protocol/views.ts";

/** The errors that led to an error, nearest first. */
export function Causes({ of: { causes } }: { readonly of: ErrorView }) {
  return causes.map((cause, place) => (
    <p key={place} class="attempt-message">
      <span class="muted">Cause:</span> {cause}
    </p>
  ));
}
