/** The head of a worker's row: its name, and its id below. */
export function WorkerName({ name, id }: { readonly name: string; readonly id: string }) {
  return (
    <th scope="row">
      <span class="worker-name">{name}</span>
      <code class="muted worker-id">{id}</code>
    </th>
  );
}
