import { useSignal } from "@preact/signals";
import { SlidersHorizontal, X } from "lucide";
import { useLayoutEffect } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { statusLabel } from "../components/status.tsx";
import { TextField } from "../components/text-field.tsx";
import { TypeField } from "../components/type-field.tsx";
import { toLocalInput } from "../format/moment.ts";
import { Link } from "../routing/link.tsx";
import { hrefTo, navigate, replaceAddress } from "../routing/place.ts";
import { chainStatuses, isFiltered, paramsOf, type ChainFilters } from "./filters.ts";

/** Filters the list. Every change returns to the first page. */
export function FilterBar({ filters }: { readonly filters: ChainFilters }) {
  const more = useSignal(filters.from !== undefined || filters.until !== undefined || filters.order === "oldest");
  const change = (changes: Partial<ChainFilters>) =>
    replaceAddress(hrefTo("chains", paramsOf({ ...filters, ...changes, cursor: undefined })));

  return (
    <search class="filters">
      <nav class="segments" aria-label="Status">
        {[undefined, ...chainStatuses].map((status) => (
          <Link
            key={status ?? "all"}
            href={hrefTo("chains", paramsOf({ ...filters, status, cursor: undefined }))}
            current={filters.status === status}
            state={status}
          >
            {status === undefined ? "All" : statusLabel(status)}
          </Link>
        ))}
      </nav>
      <div class="filter-fields">
        <TypeField value={filters.typeName} onChange={(typeName) => change({ typeName })} />
        <TextField
          label="Id"
          placeholder="Chain or job id"
          value={filters.id}
          onChange={(id) => change({ id })}
          shortcut
        />
        <TextField
          label="Error text"
          placeholder="Text in an error"
          value={filters.errorText}
          onChange={(errorText) => change({ errorText })}
        />
        <Button
          icon={SlidersHorizontal}
          pressed={more.value}
          onClick={() => {
            more.value = !more.value;
          }}
        >
          Time
        </Button>
        {isFiltered(filters) ? (
          <Button kind="quiet" icon={X} onClick={() => navigate(hrefTo("chains"))}>
            Clear
          </Button>
        ) : null}
      </div>
      {more.value ? (
        <div class="filter-fields">
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
        </div>
      ) : null}
    </search>
  );
}

interface MomentFieldProps {
  readonly label: string;
  readonly value: number | undefined;
  readonly onChange: (at: number | undefined) => void;
}

function MomentField({ label, value, onChange }: MomentFieldProps) {
  const text = useSignal(value === undefined ? "" : toLocalInput(value));
  useLayoutEffect(() => {
    text.value = value === undefined ? "" : toLocalInput(value);
  }, [value]);
  return (
    <label class="field-inline">
      <span>{label}</span>
      <input
        type="datetime-local"
        step={1}
        class="input"
        value={text.value}
        onChange={(event) => {
          const at = new Date(event.currentTarget.value).getTime();
          onChange(Number.isNaN(at) ? undefined : at);
        }}
      />
    </label>
  );
}
