import type { DeclaredLimitView } from "../../../src/protocol/limits.ts";
import { Link } from "../routing/link.tsx";
import { hrefTo } from "../routing/place.ts";
import { LimitActions } from "./limit-actions.tsx";
import { allowedWords, LimitBadges } from "./limit-badges.tsx";

interface DeclaredTableProps {
  readonly limits: readonly DeclaredLimitView[];
  readonly onDone: () => void;
}

/** The limits that workers have declared: what counts for their keys, and what the code says. */
export function DeclaredTable({ limits, onDone }: DeclaredTableProps) {
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label="Declared limits">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Limit</th>
            <th scope="col">For each key</th>
            <th scope="col">In the code</th>
            <th scope="col" class="wide-only">
              Code version
            </th>
            <th scope="col">
              <span class="visually-hidden">Action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {limits.map((limit) => (
            <DeclaredRow key={limit.id} limit={limit} onDone={onDone} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function DeclaredRow({ limit: info, onDone }: { readonly limit: DeclaredLimitView; readonly onDone: () => void }) {
  const { limit, declared, isOverridden, codeVersion } = info;
  return (
    <tr>
      <th scope="row">
        <Link href={hrefTo("limits", { limit })} class="type-link" title={limit}>
          {limit}
        </Link>
        <LimitBadges of={info} opensAt={undefined} />
      </th>
      <td>
        {allowedWords(info)}
        {isOverridden ? <span class="muted"> (changed)</span> : null}
      </td>
      <td>{allowedWords(declared)}</td>
      <td class="wide-only">{codeVersion ?? <span class="zero">none</span>}</td>
      <td class="row-tools">
        <LimitActions of={info} name={limit} onDone={onDone} />
      </td>
    </tr>
  );
}
