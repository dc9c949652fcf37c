import { Inbox, RefreshCw, SearchX } from "lucide";
import type { ChainRowView, ChainView } from "../../../src/protocol/views.ts";
import { ActionButton } from "../actions/action-buttons.tsx";
import { wordsFor } from "../actions/offer.ts";
import { ChainRow } from "../chains/chain-row.tsx";
import { FilterBar } from "../chains/filter-bar.tsx";
import { filtersOf, isFiltered, isIdPrefix, isInput, isTag, paramsOf, type ChainFilters } from "../chains/filters.ts";
import { useLiveList, type LiveList } from "../chains/live-list.ts";
import { useSelection, type Selection } from "../data/selection.ts";
import { Button } from "../components/button.tsx";
import { Empty, Failure, Loading } from "../components/notice.tsx";
import { Pager } from "../components/pager.tsx";
import { SelectAll } from "../components/select-box.tsx";
import { SelectionBar } from "../components/selection-bar.tsx";
import { get } from "../data/api.ts";
import { useLive } from "../data/live.ts";
import { session } from "../data/session.ts";
import { counted } from "../format/number.ts";
import { hrefTo, navigate, place } from "../routing/place.ts";
import { useTitle } from "../routing/title.ts";

/** All chains, filtered by the parameters of the address. */
export function ChainsPage() {
  const filters = filtersOf(place.value.params);
  useTitle([filters.stepType || filters.typeName, filters.status, "chains"].filter(Boolean).join(" "));
  return (
    <>
      <header class="page-head">
        <h1>Chains</h1>
      </header>
      <FilterBar filters={filters} />
      <Found filters={filters} />
    </>
  );
}

function Found({ filters }: { readonly filters: ChainFilters }) {
  if (filters.id !== "" && !isIdPrefix(filters.id)) {
    return <Incomplete title="This is not an id">Enter an id, or at least its first four characters.</Incomplete>;
  }
  if (filters.input !== "" && !isInput(filters.input)) {
    return (
      <Incomplete title="This is not a path and a value">
        Enter where the value is in the input, and the value, such as orderId=42 or items[0].sku=A-1.
      </Incomplete>
    );
  }
  if (filters.tag !== "" && !isTag(filters.tag)) {
    return <Incomplete title="This is not a tag">Enter a name and a value, such as orderId=42.</Incomplete>;
  }
  return <FoundChains filters={filters} />;
}

function Incomplete({ title, children }: { readonly title: string; readonly children: string }) {
  // Nothing changes here, but the connection state is still shown.
  useLive({});
  return (
    <Empty icon={SearchX} title={title}>
      {children}
    </Empty>
  );
}

function FoundChains({ filters }: { readonly filters: ChainFilters }) {
  const params = paramsOf(filters);
  const key = hrefTo("chains", params);
  const list = useLiveList(key, params);
  const selection = useSelection(key);
  const page = list.data.value;

  const showNewer = () => {
    if (filters.cursor === undefined) list.refresh();
    else navigate(hrefTo("chains", { ...params, cursor: undefined }));
  };

  return (
    <>
      {list.error.value === undefined ? null : <Failure error={list.error.value} onRetry={list.refresh} />}
      {page === undefined ? (
        list.error.value === undefined ? (
          <Loading rows={10} />
        ) : null
      ) : (
        <>
          {list.newer === 0 ? null : (
            <div class="newer">
              <Button icon={RefreshCw} kind="primary" small onClick={showNewer}>
                {counted(list.newer, "newer chain")}
              </Button>
            </div>
          )}
          {page.items.length === 0 ? (
            <NoChains filtered={isFiltered(filters)} />
          ) : (
            <ChainTable items={page.items} list={list} selection={selection} />
          )}
          <Pager path="chains" params={params} page={page} />
          <BulkActions selection={selection} items={page.items} list={list} filters={filters} />
        </>
      )}
    </>
  );
}

function NoChains({ filtered }: { readonly filtered: boolean }) {
  return filtered ? (
    <Empty icon={SearchX} title="No chain matches">
      Tags and keys are found by their exact text. The search in error texts is case-sensitive.
    </Empty>
  ) : (
    <Empty icon={Inbox} title="No chain has been started yet">
      Chains appear here as soon as an application starts them.
    </Empty>
  );
}

interface ListProps {
  readonly items: readonly ChainRowView[];
  readonly list: LiveList;
  readonly selection: Selection;
}

function ChainTable({ items, list, selection }: ListProps) {
  const selectable = (session.value?.actions.length ?? 0) > 0;
  return (
    <div class="card table-box" tabIndex={0} role="region" aria-label="Chains">
      <table class="table table-chains">
        <thead>
          <tr>
            {selectable ? (
              <th class="select-cell">
                <SelectAll selection={selection} ids={items.map(({ id }) => id)} />
              </th>
            ) : null}
            <th scope="col">Status</th>
            <th scope="col">Chain</th>
            <th scope="col">Where it is</th>
            <th scope="col">Started</th>
            <th scope="col" class="number">
              Length
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((chain) => {
            const row = list.rowOf(chain);
            const jobId = (row ?? chain).current?.id;
            return (
              <ChainRow
                key={chain.id}
                chain={row ?? chain}
                progress={jobId === undefined ? undefined : list.progressOf(jobId)}
                gone={row === undefined}
                selection={selectable ? selection : undefined}
              />
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** Offers each action for the selected chains that it applies to; with a whole page selected, also for all that match the filter. */
function BulkActions({ items, list, selection, filters }: ListProps & { readonly filters: ChainFilters }) {
  const chosen = items.flatMap((item) => {
    const chain = list.rowOf(item);
    return chain !== undefined && selection.ids.value.has(chain.id) ? [chain] : [];
  });
  const idsWith = (...statuses: readonly ChainView["status"][]) =>
    chosen.filter(({ status }) => statuses.includes(status)).map(({ id }) => id);
  const onDone = () => {
    selection.set([]);
    list.refresh();
  };
  const retryable = idsWith("failed", "cancelled");
  const active = idsWith("active");
  return (
    <SelectionBar selection={selection} noun="chain">
      <ActionButton action="retry" ids={retryable} text={`Retry ${retryable.length}`} onDone={onDone} />
      <ActionButton action="cancel" ids={active} text={`Cancel ${active.length}`} onDone={onDone} />
      <AllThatMatch filters={filters} items={items} selection={selection} onDone={onDone} />
      <ActionButton action="delete" ids={chosen.map(({ id }) => id)} text={`Delete ${chosen.length}`} onDone={onDone} />
    </SelectionBar>
  );
}

interface AllProps {
  readonly filters: ChainFilters;
  readonly items: readonly ChainRowView[];
  readonly selection: Selection;
  readonly onDone: () => void;
}

/** Retries what stopped, or cancels what is open, of all chains that the filter finds. */
function AllThatMatch({ filters, items, selection, onDone }: AllProps) {
  const { status } = filters;
  const isPage = items.length > 1 && items.every(({ id }) => selection.ids.value.has(id));
  if (!isPage || status === undefined || status === "completed") return null;
  const action = status === "failed" || status === "cancelled" ? "retry" : "cancel";
  const params = paramsOf({ ...filters, cursor: undefined });
  const next = async (cursor: string | undefined) => {
    const page = await get("chains", { ...params, limit: "100", cursor });
    return { ids: page.items.map(({ id }) => id), nextCursor: page.nextCursor };
  };
  return (
    <ActionButton
      action={action}
      ids={items.map(({ id }) => id)}
      all={{ about: undefined, next }}
      text={`${wordsFor[action].verb} all that match`}
      onDone={onDone}
    />
  );
}
