import type { ChainResponse } from "../../../src/protocol/reads.ts";
import type { SignalView } from "../../../src/protocol/signals.ts";
import { Panel } from "../components/panel.tsx";
import { Time } from "../components/time.tsx";
import { counted } from "../format/number.ts";
import { textOfPayload } from "../json/payload-text.ts";

/** What a chain was told from outside, oldest first: what took each signal, or that it is buffered. */
export function Signals({ of: { chain, signals } }: { readonly of: ChainResponse }) {
  if (signals.items.length === 0) return null;
  const note = signals.nextCursor === undefined ? counted(signals.items.length, "signal") : "the first";
  return (
    <Panel title="Signals" note={note} flush>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Signal</th>
            <th scope="col">For</th>
            <th scope="col">Received</th>
            <th scope="col">State</th>
            <th scope="col">Payload</th>
          </tr>
        </thead>
        <tbody>
          {signals.items.map((each) => (
            <tr key={each.position}>
              <td>{each.signal}</td>
              <td>
                <code>{each.typeName}</code>
              </td>
              <td>
                <Time at={each.at} />
              </td>
              <td>{stateOf(each, chain.status === "active")}</td>
              <td>
                <code>{each.payload.kind === "none" ? "null" : textOfPayload(each.payload)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

function stateOf({ takenBy }: SignalView, isActive: boolean): string {
  if (takenBy !== undefined) return "Taken";
  return isActive ? "Buffered" : "Not used";
}
