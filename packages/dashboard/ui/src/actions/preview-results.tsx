import { CircleAlert, CircleCheck } from "lucide";
import type { ActionResult, PreviewResponse } from "../../../src/protocol/actions.ts";
import { Icon } from "../components/icon.tsx";
import { counted } from "../format/number.ts";
import { wordsFor } from "./offer.ts";

/** The preview of an action: the number of successes, and the reasons for refusals. */
export function PreviewResults({ preview }: { readonly preview: PreviewResponse }) {
  const { noun } = wordsFor[preview.action];
  const reasons = reasonsOf(preview.results);
  const others = preview.deleted.length - preview.done;
  return (
    <div class="preview" aria-live="polite">
      {preview.done === 0 ? null : (
        <p class="preview-line" data-state="completed">
          <Icon of={CircleCheck} />
          <span>
            Possible for {counted(preview.done, noun)}
            {preview.action === "delete" && others > 0
              ? `, and also ${counted(others, "chain")} that waited for them`
              : ""}
          </span>
        </p>
      )}
      {reasons.map(({ message, count }) => (
        <p key={message} class="preview-line" data-state="failed">
          <Icon of={CircleAlert} />
          <span>
            Refused for {counted(count, noun)}: {message}
          </span>
        </p>
      ))}
    </div>
  );
}

/** The most frequent reasons. */
function reasonsOf(results: readonly ActionResult[]): readonly { readonly message: string; readonly count: number }[] {
  const counts = new Map<string, { message: string; count: number }>();
  for (const { ok, code = "refused", message = code } of results) {
    if (ok) continue;
    const reason = counts.get(code) ?? { message, count: 0 };
    reason.count += 1;
    counts.set(code, reason);
  }
  return [...counts.values()].sort((one, other) => other.count - one.count).slice(0, 5);
}
