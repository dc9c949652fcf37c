import { useSignal } from "@preact/signals";
import { ArrowLeft, ArrowRight, ChevronFirst, ChevronLast } from "lucide";
import { useEffect } from "preact/hooks";
import type { ChainResponse } from "../../../src/protocol/reads.ts";
import type { StepView } from "../../../src/protocol/views.ts";
import { Button } from "../components/button.tsx";
import { ApiError, get } from "../data/api.ts";
import { say } from "../data/messages.ts";
import { formatCount } from "../format/number.ts";

/** The steps of a long chain that are shown, and the ways to others. Undefined: all steps are on the first page. */
interface StepWindow {
  readonly steps: readonly StepView[];
  readonly total: number;
  readonly busy: boolean;
  readonly move: (to: "first" | "previous" | "next" | "last") => void;
}

interface Asked {
  readonly order?: "oldest" | "newest" | undefined;
  readonly cursor?: string | undefined;
  /** The id of a step. */
  readonly around?: string | undefined;
}

/** @param wanted the id of a step that the page is to show: its window is loaded if it is in no other */
export function useStepWindow(
  { chain, steps, lastStep }: ChainResponse,
  wanted: string | undefined,
): StepWindow | undefined {
  const elsewhere = useSignal<readonly StepView[] | undefined>(undefined);
  const asked = useSignal<Asked | undefined>(undefined);
  const busy = useSignal(false);
  const load = (next: Asked) => {
    asked.value = next;
    busy.value = true;
    get("steps", { id: chain.id, ...next })
      .then(
        ({ items }) => {
          if (items.length > 0) elsewhere.value = next.order === "newest" ? items.toReversed() : items;
        },
        (error: unknown) => {
          const isGone = error instanceof ApiError && error.code === "step-not-found";
          say("failed", isGone ? "This chain has no such step." : "The steps could not be loaded.");
        },
      )
      .finally(() => {
        busy.value = false;
      });
  };
  useEffect(() => {
    const known = [...(elsewhere.value ?? []), ...steps.items, ...(lastStep === undefined ? [] : [lastStep])];
    if (wanted !== undefined && steps.nextCursor !== undefined && known.every(({ id }) => id !== wanted))
      load({ around: wanted });
  }, [wanted]);
  // A window that ends with the open step changes with the chain.
  useEffect(() => {
    if (asked.value !== undefined && elsewhere.value?.some(({ endedAt }) => endedAt === undefined)) load(asked.value);
  }, [lastStep]);
  if (steps.nextCursor === undefined) return undefined;
  const shown = elsewhere.value ?? steps.items;
  return {
    steps: shown,
    total: Math.max(lastStep?.step ?? 0, shown.at(-1)?.step ?? 0),
    busy: busy.value,
    move(to) {
      if (to === "first") {
        elsewhere.value = undefined;
        asked.value = undefined;
      } else if (to === "last") load({ order: "newest", cursor: undefined });
      else if (to === "next") load({ order: "oldest", cursor: shown.at(-1)?.id });
      else load({ order: "newest", cursor: shown[0]?.id });
    },
  };
}

/** `Steps 51 to 100 of 10,000`. */
export function windowNote({ steps, total }: StepWindow): string {
  return `steps ${formatCount(steps[0]?.step ?? 0)} to ${formatCount(steps.at(-1)?.step ?? 0)} of ${formatCount(total)}`;
}

export function WindowButtons({ of: { steps, total, busy, move } }: { readonly of: StepWindow }) {
  const isFirst = steps[0]?.step === 1;
  const isLast = steps.at(-1)?.step === total;
  return (
    <nav class="pager" aria-label="Pages of steps">
      <Button small icon={ChevronFirst} disabled={isFirst || busy} onClick={() => move("first")}>
        First steps
      </Button>
      <Button small icon={ArrowLeft} disabled={isFirst || busy} onClick={() => move("previous")}>
        Previous steps
      </Button>
      <Button small icon={ArrowRight} disabled={isLast || busy} onClick={() => move("next")}>
        Next steps
      </Button>
      <Button small icon={ChevronLast} disabled={isLast || busy} onClick={() => move("last")}>
        Last steps
      </Button>
    </nav>
  );
}
