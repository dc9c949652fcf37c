import { useSignal } from "@preact/signals";
import { SlidersHorizontal, X } from "lucide";
import { Button } from "../components/button.tsx";
import { MomentField } from "../components/moment-field.tsx";
import { statusLabel } from "../components/status.tsx";
import { TextField } from "../components/text-field.tsx";
import { TypeField } from "../components/type-field.tsx";
import { Link } from "../routing/link.tsx";
import { hrefTo, navigate, replaceAddress } from "../routing/place.ts";
import { listedStatuses, isFiltered, paramsOf, type ChainFilters } from "./filters.ts";

interface FilterProps {
  readonly filters: ChainFilters;
}

/** Filters the list. Every change returns to the first page. */
export function FilterBar({ filters }: FilterProps) {
  const more = useSignal(filters.from !== undefined || filters.until !== undefined || filters.order === "oldest");
  return (
    <search class="filters">
      <StatusLinks filters={filters} />
      <div class="filter-fields">
        <ChainFields filters={filters} />
        <Button
          icon={SlidersHorizontal}
          pressed={more.value}
          onClick={() => {
            more.value = !more.value;
          }}
        >
          Time
        </Button>
        {filters.worker === "" ? null : (
          <Button icon={X} onClick={() => navigate(hrefWith(filters, { worker: "" }))}>
            Run by {filters.worker.slice(-12)}
          </Button>
        )}
        {isFiltered(filters) ? (
          <Button kind="quiet" icon={X} onClick={() => navigate(hrefTo("chains"))}>
            Clear
          </Button>
        ) : null}
      </div>
      {more.value ? (
        <div class="filter-fields">
          <TimeFields filters={filters} />
        </div>
      ) : null}
    </search>
  );
}

function StatusLinks({ filters }: FilterProps) {
  return (
    <nav class="segments" aria-label="Status">
      {[undefined, ...listedStatuses].map((status) => (
        <Link
          key={status ?? "all"}
          href={hrefWith(filters, { status })}
          current={filters.status === status}
          state={status}
        >
          {status === undefined ? "All" : statusLabel(status)}
        </Link>
      ))}
    </nav>
  );
}

function ChainFields({ filters }: FilterProps) {
  const change = (changes: Partial<ChainFilters>) => replaceAddress(hrefWith(filters, changes));
  return (
    <>
      <TypeField label="Began as" value={filters.typeName} onChange={(typeName) => change({ typeName })} />
      <TypeField label="Is at step" value={filters.stepType} onChange={(stepType) => change({ stepType })} />
      <TextField
        label="Id"
        placeholder="Chain or job id, or its beginning"
        value={filters.id}
        onChange={(id) => change({ id })}
        shortcut
      />
      <TextField label="Tag" placeholder="Tag, as orderId=42" value={filters.tag} onChange={(tag) => change({ tag })} />
      <TextField
        label="Deduplication key"
        placeholder="Deduplication key"
        value={filters.key}
        onChange={(key) => change({ key })}
      />
      <TextField
        label="Input"
        placeholder="In the input, as orderId=42"
        value={filters.input}
        onChange={(input) => change({ input })}
      />
      <TextField
        label="Error text"
        placeholder="Text in an error"
        value={filters.errorText}
        onChange={(errorText) => change({ errorText })}
      />
    </>
  );
}

function TimeFields({ filters }: FilterProps) {
  const change = (changes: Partial<ChainFilters>) => replaceAddress(hrefWith(filters, changes));
  return (
    <>
      <MomentField label="Started from" value={filters.from} onChange={(from) => change({ from })} />
      <MomentField label="Started before" value={filters.until} onChange={(until) => change({ until })} />
      <label class="field-inline">
        <span>Order</span>
        <select
          class="input"
          value={filters.order}
          onChange={(event) => change({ order: event.currentTarget.value === "oldest" ? "oldest" : "newest" })}
        >
          <option value="newest">Newest first</option>
          <option value="oldest">Oldest first</option>
        </select>
      </label>
    </>
  );
}

/** The address of the first page with changed filters. */
function hrefWith(filters: ChainFilters, changes: Partial<ChainFilters>): string {
  return hrefTo("chains", paramsOf({ ...filters, ...changes, cursor: undefined }));
}
