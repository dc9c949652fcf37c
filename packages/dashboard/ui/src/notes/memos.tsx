import type { NotesResponse } from "../../../src/protocol/notes.ts";
import { Panel } from "../components/panel.tsx";
import { Time } from "../components/time.tsx";
import { counted } from "../format/number.ts";
import { textOfPayload } from "../json/payload-text.ts";

/** What `once` remembers: these callbacks do not run again. */
export function Memos({ of: { memos, moreMemos } }: { readonly of: NotesResponse }) {
  if (memos.length === 0) return null;
  return (
    <Panel title="Done once" note={counted(memos.length + moreMemos, "result")} flush>
      <div class="table-box" tabIndex={0} role="region" aria-label="Done once">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Result</th>
              <th scope="col">Attempt</th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {memos.map(({ name, value, attempt, at }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>
                  <code class="memo-value">{value.kind === "none" ? "nothing" : textOfPayload(value)}</code>
                </td>
                <td>{attempt}</td>
                <td class="nowrap">
                  <Time at={at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {moreMemos === 0 ? null : <p class="muted panel-foot">{counted(moreMemos, "further result")} not shown</p>}
    </Panel>
  );
}
