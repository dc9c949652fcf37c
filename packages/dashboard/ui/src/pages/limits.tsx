import { Gauge } from "lucide";
import type { LimitsResponse } from "../../../src/protocol/limits.ts";
import { Button } from "../components/button.tsx";
import { Empty, Failure, Loading } from "../components/notice.tsx";
import { Pager } from "../components/pager.tsx";
import { Panel } from "../components/panel.tsx";
import { TextField } from "../components/text-field.tsx";
import { get } from "../data/api.ts";
import { useLive } from "../data/live.ts";
import { useResource } from "../data/resource.ts";
import { counted } from "../format/number.ts";
import { DeclaredTable } from "../limits/declared-table.tsx";
import { KeysTable } from "../limits/keys-table.tsx";
import { Link } from "../routing/link.tsx";
import { hrefTo, place, replaceAddress } from "../routing/place.ts";

const orders = ["running", "waiting"] as const;

interface Filters {
  readonly limit: string;
  readonly key: string;
  readonly busy: string;
  readonly order: string;
}

/** Limits, and the busiest of their keys. */
export function LimitsPage() {
  const { params } = place.value;
  const filters = {
    limit: params.get("limit") ?? "",
    key: params.get("key") ?? "",
    busy: params.get("busy") === "true" ? "true" : "",
    order: params.get("order") === "waiting" ? "waiting" : "",
  };
  const query = { ...filters, cursor: params.get("cursor") ?? undefined };
  const { data, error, refresh } = useResource(hrefTo("limits", query), (signal) => get("limits", query, signal));
  useLive({ onChanged: refresh });
  const response = data.value;

  return (
    <>
      <header class="page-head">
        <h1>Limits</h1>
      </header>
      {error.value === undefined ? null : <Failure error={error.value} onRetry={refresh} />}
      {response === undefined ? (
        error.value === undefined ? (
          <Loading rows={8} />
        ) : null
      ) : (
        <Loaded response={response} filters={filters} onDone={refresh} />
      )}
      {response === undefined ? null : (
        <Pager
          path="limits"
          params={query}
          page={{ items: response.keys, nextCursor: response.nextCursor, now: response.now, searchedTo: undefined }}
        />
      )}
    </>
  );
}

interface LoadedProps {
  readonly response: LimitsResponse;
  readonly filters: Filters;
  readonly onDone: () => void;
}

function Loaded({ response: { declared, moreDeclared, keys, looked }, filters, onDone }: LoadedProps) {
  return (
    <>
      <Panel title="Declared" note={moreDeclared === 0 ? undefined : counted(moreDeclared, "more limit")} flush>
        {declared.length === 0 ? (
          <Empty icon={Gauge} title="No limit is declared">
            Workers declare the limits of their client when they start.
          </Empty>
        ) : (
          <DeclaredTable limits={declared} onDone={onDone} />
        )}
      </Panel>
      <Filter filters={filters} />
      <Panel
        title="Busiest keys"
        note={keys.length < looked ? `the first ${keys.length} of ${counted(looked, "key")}` : counted(looked, "key")}
        flush
      >
        {keys.length === 0 ? (
          <Empty icon={Gauge} title="No key is in use">
            Keys appear here while jobs run or wait under them.
          </Empty>
        ) : (
          <KeysTable keys={keys} paused={pausedOf(declared)} onDone={onDone} />
        )}
      </Panel>
    </>
  );
}

/** The names of the limits of which all keys are paused. */
function pausedOf(declared: LimitsResponse["declared"]): ReadonlySet<string> {
  return new Set(declared.filter(({ isPaused }) => isPaused).map(({ limit }) => limit));
}

/** Every change returns to the first page. */
function Filter({ filters }: { readonly filters: Filters }) {
  const hrefWith = (changes: Partial<Filters>) => hrefTo("limits", { ...filters, ...changes });
  return (
    <search class="filters">
      <nav class="segments" aria-label="Order">
        {orders.map((order) => (
          <Link
            key={order}
            href={hrefWith({ order: order === "running" ? "" : order })}
            current={(filters.order || "running") === order}
          >
            By {order}
          </Link>
        ))}
      </nav>
      <div class="filter-fields">
        <TextField
          label="Limit"
          placeholder="Limit"
          value={filters.limit}
          onChange={(limit) => replaceAddress(hrefWith(limit === "" ? { limit, key: "" } : { limit }))}
        />
        {filters.limit === "" ? null : (
          <TextField
            label="Key"
            placeholder="Key"
            value={filters.key}
            onChange={(key) => replaceAddress(hrefWith({ key }))}
          />
        )}
        <Button
          pressed={filters.busy === "true"}
          onClick={() => replaceAddress(hrefWith({ busy: filters.busy === "true" ? "" : "true" }))}
        >
          Busy
        </Button>
      </div>
    </search>
  );
}
