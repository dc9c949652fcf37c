/** The names that are most like one that was misspelt, the nearest first. */
export function nearestNames(name: string, names: readonly string[], limit = 3): readonly string[] {
  const wanted = plain(name);
  const ranked = names.map((each) => {
    const whole = distance(wanted, plain(each));
    const city = distance(wanted, plain(each.slice(each.lastIndexOf("/") + 1)));
    return { each, rank: Math.min(whole, city) };
  });
  return ranked
    .toSorted((left, right) => left.rank - right.rank)
    .slice(0, limit)
    .map(({ each }) => each);
}

function plain(name: string): string {
  return name
    .slice(0, 60)
    .toLowerCase()
    .replaceAll(/[\s_-]+/gu, "_");
}

/** How many letters have to be changed, added or removed: the distance of Levenshtein. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [index, letter] of Array.from(left).entries()) {
    const next = [index + 1];
    for (const [place, other] of Array.from(right).entries()) {
      const replaced = (row[place] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
