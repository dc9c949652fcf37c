/** The rights that an application needs in a schema; docs-site/guides/postgres.md lists them. */
export function grantsFor(schema: string | undefined, role: string): readonly string[] {
  const [name, to] = [quoted(schema ?? "chainwright"), quoted(role)];
  return [
    `grant usage on schema ${name} to ${to}`,
    `grant select, insert, update, delete on all tables in schema ${name} to ${to}`,
    `grant usage on all sequences in schema ${name} to ${to}`,
    `grant execute on all functions in schema ${name} to ${to}`,
  ];
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
