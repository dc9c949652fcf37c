/** The shapes of the chains that an attack starts. */
export const shapes = [
  "line",
  "branch",
  "loop",
  "join",
  "keyed",
  "stumble",
  "broken",
  "parked",
  "doomed",
  "twice",
  "prey",
  "preyed",
  "late",
] as const;

export type Shape = (typeof shapes)[number];
export type Shapes = readonly [Shape, ...Shape[]];

/** The shapes of a list from the command line; all without a list. */
export function shapesOf(list: string | undefined): Shapes {
  if (list === undefined) return shapes;
  const [first, ...others] = list.split(",").map((name) => {
    const shape = shapes.find((each) => each === name);
    if (shape === undefined)
      throw new TypeError(`--shapes has ${JSON.stringify(name)}; there are ${shapes.join(", ")}`);
    return shape;
  });
  return first === undefined ? shapes : [first, ...others];
}
