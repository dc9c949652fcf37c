import type { LimitKeyView } from "../../../src/protocol/limits.ts";
import { formatCount } from "../format/number.ts";
import { Link } from "../routing/link.tsx";
import { hrefTo } from "../routing/place.ts";
import { LimitActions } from "./limit-actions.tsx";
import { allowedWords, LimitBadges } from "./limit-badges.tsx";

interface KeysTableProps {
  readonly keys: readonly LimitKeyView[];
  /** The names of the limits of which all keys are paused. */
  readonly paused: ReadonlySet<string>;
  readonly onDone: () => void;
}

/** Keys of limits: how full each is, how many jobs wait for it, and when it opens. */
export function KeysTable({ keys, paused, onDone }: KeysTableProps) {
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label="Busiest keys">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Limit</th>
            <th scope="col">Key</th>
            <th scope="col">Running</th>
            <th scope="col" class="number">
              Waiting
            </th>
            <th scope="col">Allowed</th>
            <th scope="col">State</th>
            <th scope="col">
              <span class="visually-hidden">Action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((info, index) => (
            <KeyRow key={info.id ?? index} info={info} isLimitPaused={paused.has(info.limit)} onDone={onDone} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface KeyRowProps {
  readonly info: LimitKeyView;
  readonly isLimitPaused: boolean;
  readonly onDone: () => void;
}

function KeyRow({ info, isLimitPaused, onDone }: KeyRowProps) {
  const { limit, key, running, waiting, concurrency, declared, isOverridden, opensAt } = info;
  return (
    <tr>
      <td>
        <Link href={hrefTo("limits", { limit })}>{limit}</Link>
      </td>
      <th scope="row" class="limit-key" title={key}>
        {key}
      </th>
      <td class="nowrap">
        {concurrency === undefined ? null : (
          <meter min={0} max={concurrency} value={running} aria-label={`Places in use by ${limit} of ${key}`} />
        )}{" "}
        {formatCount(running)}
        {concurrency === undefined ? "" : ` of ${formatCount(concurrency)}`}
      </td>
      <td class="number" data-state={waiting === 0 ? undefined : "blocked"}>
        {waiting === 0 ? <span class="zero">0</span> : formatCount(waiting)}
      </td>
      <td>
        {allowedWords(info)}
        {isOverridden ? <span class="muted"> (changed; code: {allowedWords(declared)})</span> : null}
      </td>
      <td>
        {declared === undefined ? <span data-state="blocked">no worker has declared it</span> : null}
        {isLimitPaused ? (
          <span data-state="blocked">paused with all keys of the limit</span>
        ) : (
          <LimitBadges of={info} opensAt={opensAt} />
        )}
      </td>
      <td class="row-tools">
        {/* Resuming the key would not end a pause of the whole limit. */}
        <LimitActions
          of={isLimitPaused ? { ...info, isPaused: false } : info}
          name={`${limit} of ${key}`}
          onDone={onDone}
        />
      </td>
    </tr>
  );
}
