import type { VersionView } from "../../../src/protocol/overview.ts";
import { Panel } from "../components/panel.tsx";
import { counted, formatCount } from "../format/number.ts";

interface VersionsProps {
  readonly versions: readonly VersionView[];
  readonly more: number;
}

/** Which versions and pools jobs wait in, and which live workers claim them. Without versions and pools there is nothing to show. */
export function Versions({ versions, more }: VersionsProps) {
  if (versions.length === 0) return null;
  return (
    <Panel title="Versions and pools" note={more === 0 ? undefined : counted(more, "more row")} flush>
      <div class="table-box" tabIndex={0} role="region" aria-label="Versions and pools">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Type</th>
              <th scope="col" class="number">
                Version
              </th>
              <th scope="col">Pool</th>
              <th scope="col" class="number">
                Ready
              </th>
              <th scope="col" class="number">
                Scheduled
              </th>
              <th scope="col" class="number">
                Running
              </th>
              <th scope="col">Workers</th>
            </tr>
          </thead>
          <tbody>
            {versions.map((row) => (
              <VersionRow key={`${row.typeName} ${row.version} ${row.pool ?? ""}`} row={row} />
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function VersionRow({ row }: { readonly row: VersionView }) {
  const { typeName, version, pool, ready, scheduled, running, workers, workerNames } = row;
  return (
    <tr>
      <th scope="row">{typeName}</th>
      <td class="number">{version}</td>
      <td>{pool ?? <span class="zero">none</span>}</td>
      {[ready, scheduled, running].map((count, column) => (
        <td key={column} class="number">
          {count === 0 ? <span class="zero">0</span> : formatCount(count)}
        </td>
      ))}
      <td class="worker-types">
        {workers === 0 ? (
          <span data-state="blocked">no live worker claims them</span>
        ) : (
          `${workerNames.join(", ")}${workers > workerNames.length ? `, ${workers - workerNames.length} more` : ""}`
        )}
      </td>
    </tr>
  );
}
