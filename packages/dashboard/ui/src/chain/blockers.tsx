import { useSignal } from "@preact/signals";
import type { ExplanationView, StepView } from "../../../src/protocol/views.ts";
import { Button } from "../components/button.tsx";
import { Failure } from "../components/notice.tsx";
import { Panel } from "../components/panel.tsx";
import { StatusBadge } from "../components/status.tsx";
import { get } from "../data/api.ts";
import { useResource } from "../data/resource.ts";
import { formatCount } from "../format/number.ts";
import { Link } from "../routing/link.tsx";
import { chainHref } from "../routing/place.ts";

interface BlockersProps {
  readonly step: StepView;
  readonly explanation: ExplanationView | undefined;
}

const open: readonly string[] = ["failed", "cancelled", "active"];

/** The blockers of a step that has more than the graph draws, page by page. */
export function Blockers({ step, explanation }: BlockersProps) {
  const counts = explanation?.jobId === step.id ? explanation.blockers : undefined;
  const onlyOpen = useSignal(counts !== undefined && counts.completed < counts.total);
  const cursors = useSignal<readonly string[]>([]);
  const cursor = cursors.value.at(-1);
  const status = onlyOpen.value ? open : undefined;
  const { data, error, refresh } = useResource(
    `${step.id} ${onlyOpen.value} ${cursor ?? ""} ${step.blockersLeft}`,
    (signal) => get("blockers", { id: step.id, cursor, status }, signal),
  );
  const page = data.value;
  const show = (isOpenOnly: boolean) => {
    onlyOpen.value = isOpenOnly;
    cursors.value = [];
  };
  return (
    <Panel
      title="Blockers"
      note={counts && noteOf(counts)}
      tools={
        counts === undefined ? undefined : (
          <Button small onClick={() => show(!onlyOpen.value)}>
            {onlyOpen.value ? "Show all" : "Show those that have not completed"}
          </Button>
        )
      }
    >
      {error.value === undefined ? null : <Failure error={error.value} onRetry={refresh} />}
      <ul class="explanation-blockers">
        {(page?.items ?? []).map(({ position, chain }) => (
          <li key={position}>
            <StatusBadge status={chain.status} /> <Link href={chainHref(chain.id)}>{chain.typeName}</Link>{" "}
            <code class="muted">{chain.id}</code>
          </li>
        ))}
      </ul>
      <nav class="pager" aria-label="Pages of blockers">
        <Button
          small
          disabled={cursor === undefined}
          onClick={() => {
            cursors.value = cursors.value.slice(0, -1);
          }}
        >
          Previous blockers
        </Button>
        <Button
          small
          disabled={page?.nextCursor === undefined}
          onClick={() => {
            if (page?.nextCursor !== undefined) cursors.value = [...cursors.value, page.nextCursor];
          }}
        >
          Next blockers
        </Button>
      </nav>
    </Panel>
  );
}

function noteOf({ total, completed, failed }: ExplanationView["blockers"] & {}): string {
  const active = total - completed - failed;
  const parts = [
    [failed, "failed or cancelled"],
    [active, "active"],
    [completed, "completed"],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, text]) => `${formatCount(count)} ${text}`)
    .join(", ");
}
