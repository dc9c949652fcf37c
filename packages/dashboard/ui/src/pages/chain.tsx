import { Link2Off } from "lucide";
import { useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import type { ChainResponse } from "../../../src/protocol/reads.ts";
import type { StepView } from "../../../src/protocol/views.ts";
import { ActionButton } from "../actions/action-buttons.tsx";
import { Labels } from "../chains/labels.tsx";
import { Blockers } from "../chain/blockers.tsx";
import { Causes } from "../chain/causes.tsx";
import { Explanation } from "../chain/explanation.tsx";
import { useStepWindow, WindowButtons, windowNote } from "../chain/step-window.tsx";
import { StepPanel } from "../chain/step-panel.tsx";
import { Signals } from "../chain/signals.tsx";
import { FollowUps } from "../chain/follow-ups.tsx";
import { Timeline } from "../chain/timeline.tsx";
import { CopyButton } from "../components/copy-button.tsx";
import { Empty, Failure, Loading } from "../components/notice.tsx";
import { Panel } from "../components/panel.tsx";
import { StatusBadge } from "../components/status.tsx";
import { Time } from "../components/time.tsx";
import { ApiError, get } from "../data/api.ts";
import { useLive } from "../data/live.ts";
import { now } from "../data/now.ts";
import { useResource } from "../data/resource.ts";
import { formatDuration } from "../format/duration.ts";
import { counted } from "../format/number.ts";
import { graphOf } from "../graph/chain-graph.ts";
import { GraphView } from "../graph/graph-view.tsx";
import { Notes } from "../notes/notes.tsx";
import { Link } from "../routing/link.tsx";
import { chainHref, hrefTo, place, replaceAddress } from "../routing/place.ts";
import { useTitle } from "../routing/title.ts";

/** One chain: its outcome, why it is not running, and all of its steps. */
export function ChainPage({ id }: { readonly id: string }) {
  const { data, error, refresh } = useResource(`chain ${id}`, (signal) => get("chain", { id }, signal));
  const gone = useSignal(false);
  useLive({
    chain: id,
    onChain: (exists) => {
      gone.value = !exists;
      if (exists) refresh();
    },
  });

  const response = data.value;
  if (gone.value || isNotFound(error.value)) {
    return (
      <Empty icon={Link2Off} title={response === undefined ? "There is no such chain" : "This chain was deleted"}>
        <Link href={hrefTo("chains")}>All chains</Link>
      </Empty>
    );
  }
  if (response === undefined) {
    return error.value === undefined ? <Loading rows={8} /> : <Failure error={error.value} onRetry={refresh} />;
  }
  return (
    <>
      {error.value === undefined ? null : <Failure error={error.value} onRetry={refresh} />}
      <Loaded key={id} response={response} onDone={refresh} />
    </>
  );
}

/** A text that is not an id counts as not found. */
function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && ["not-found", "chain-not-found", "invalid-request"].includes(error.code);
}

function Loaded({ response, onDone }: { readonly response: ChainResponse; readonly onDone: () => void }) {
  const { chain, explanation, lastStep } = response;
  useTitle(`${chain.typeName} ${lastStep?.status ?? chain.status} ${chain.id.slice(-6)}`);
  const chosenId = place.value.params.get("step") ?? lastStep?.id;
  const stepWindow = useStepWindow(response, chosenId);
  const graph = useMemo(() => graphOf(response, response.steps.items), [response]);
  const all = withLast([...(stepWindow?.steps ?? []), ...response.steps.items], lastStep);
  const chosen = useChosen(all, chosenId) ?? (stepWindow?.busy === true ? undefined : lastStep);
  const choose = (step: string) => replaceAddress(`${chainHref(chain.id)}?${new URLSearchParams({ step }).toString()}`);

  return (
    <>
      <ChainHead response={response} onDone={onDone} />
      {explanation === undefined || chain.status !== "active" ? null : <Explanation of={explanation} />}
      <Outcome response={response} />
      <FollowUps of={response.followUps} />
      <Panel title="Steps" note={counted(lastStep?.step ?? all.length, "step")} flush>
        <GraphView graph={graph} chosen={chosen?.id} onChoose={choose} />
      </Panel>
      <Panel title="Timeline" note={stepWindow && windowNote(stepWindow)}>
        <Timeline steps={stepWindow?.steps ?? all} chosen={chosen?.id} onChoose={choose} />
        {stepWindow && <WindowButtons of={stepWindow} />}
      </Panel>
      <Signals of={response} />
      {chosen === undefined ? null : (
        <>
          {chosen.blockers.nextCursor === undefined ? null : (
            <Blockers key={`blockers ${chosen.id}`} step={chosen} explanation={explanation} />
          )}
          <Notes key={chosen.id} step={chosen} loadedAt={response.now} />
          <StepPanel step={chosen} onDone={onDone} />
        </>
      )}
    </>
  );
}

/** The chosen step: also when the window has moved on from it. */
function useChosen(steps: readonly StepView[], id: string | undefined): StepView | undefined {
  const shown = useRef<StepView | undefined>(undefined);
  const known = shown.current === undefined ? steps : [...steps, shown.current];
  shown.current = known.find((step) => step.id === id);
  return shown.current;
}

function ChainHead({
  response: { chain, lastStep, dependents },
  onDone,
}: {
  readonly response: ChainResponse;
  readonly onDone: () => void;
}) {
  const ended = chain.status === "failed" || chain.status === "cancelled";
  return (
    <header class="page-head">
      <div class="page-title">
        <nav aria-label="Breadcrumb" class="crumbs">
          <Link href={hrefTo("chains")}>Chains</Link>
        </nav>
        <h1 class="chain-title">
          <span>{chain.typeName}</span> <StatusBadge status={chain.status} />
        </h1>
        <p class="muted chain-line">
          <span class="with-copy">
            <code>{chain.id}</code>
            <CopyButton label="Copy chain id" text={chain.id} />
          </span>
          <span>
            Started <Time at={chain.createdAt} />
          </span>
          <span>{lengthOf(chain.createdAt, chain.endedAt)}</span>
          {dependents.items.length === 0 ? null : (
            <span>
              {counted(dependents.items.length, "dependent")}
              {dependents.nextCursor === undefined ? "" : " or more"}
            </span>
          )}
        </p>
        <Labels of={chain} />
      </div>
      <div class="page-tools">
        {ended ? (
          <ActionButton action="retry" primary ids={[chain.id]} editFor={lastStep?.typeName} onDone={onDone} />
        ) : null}
        {chain.status === "active" && lastStep?.status === "scheduled" ? (
          <ActionButton action="trigger" primary ids={[lastStep.id]} onDone={onDone} />
        ) : null}
        {lastStep?.status === "waiting" ? (
          <ActionButton
            action="send-signal"
            primary
            ids={[chain.id]}
            waitingType={lastStep.typeName}
            text="Send a signal"
            onDone={onDone}
          />
        ) : null}
        {chain.status === "active" ? <ActionButton action="cancel" ids={[chain.id]} onDone={onDone} /> : null}
        <ActionButton action="delete" ids={[chain.id]} onDone={onDone} />
      </div>
    </header>
  );
}

function Outcome({ response: { chain } }: { readonly response: ChainResponse }) {
  if (chain.status === "failed" && chain.error !== undefined) {
    return (
      <section class="outcome" data-state="failed" aria-label="Error">
        <strong>{chain.error.name}</strong>
        <p>{chain.error.message}</p>
        <Causes of={chain.error} />
      </section>
    );
  }
  if (chain.status !== "cancelled") return null;
  return (
    <section class="outcome" data-state="cancelled" aria-label="Cancellation">
      <strong>Cancelled</strong>
      <p>{chain.reason ?? "No reason was given."}</p>
    </section>
  );
}

function withLast(steps: readonly StepView[], last: StepView | undefined): readonly StepView[] {
  if (last === undefined || steps.some(({ id }) => id === last.id)) return steps;
  return [...steps, last];
}

function lengthOf(createdAt: number, endedAt: number | undefined): string {
  return endedAt === undefined
    ? `for ${formatDuration(now.value - createdAt)}`
    : `took ${formatDuration(endedAt - createdAt)}`;
}
