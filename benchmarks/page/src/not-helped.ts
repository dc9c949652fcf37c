const heading = "## What did not help";

/** The cells of the table under that heading of a README. */
export function notHelpedIn(readme: string): readonly (readonly string[])[] {
  const [, section = ""] = readme.split(`${heading}\n`);
  const [rows = ""] = section.split("\n## ");
  return rows
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}
