import { measure, type Figure, type ServerCpu } from "@chainwright/bench-measuring";
import type { Floor, OpenRow } from "./row.ts";

/** What the store can do without the library. */
export interface FloorFigures {
  readonly insertOne: Figure;
  readonly insertHundred: Figure;
  readonly emptyTransaction: Figure;
  readonly exchangeHundred: Figure;
  readonly claimAndSettle: Figure;
  /** Undefined in memory. */
  readonly handWritten: HandWrittenFigures | undefined;
  /** Undefined without a broker. */
  readonly publishRoundTrip: Figure | undefined;
}

export type HandWrittenFigures = Readonly<
  Record<"insertOne" | "insertHundred" | "exchangeHundred" | "claimAndSettle", Figure>
>;

export async function measureFloor(
  { floor, serverCpu }: OpenRow,
  payload: string,
  count: number,
): Promise<FloorFigures> {
  const warm = Math.ceil(count / 10);
  const hundreds = Math.ceil(count / 100);
  await times(warm + hundreds, () => floor.insertOne(payload));
  const insertOne = await measure(count, serverCpu, () => times(count, () => floor.insertOne(payload)));
  const insertHundred = await measure(hundreds * 100, serverCpu, () =>
    times(hundreds, () => floor.insertHundred(payload)),
  );
  await times(warm, () => floor.emptyTransaction());
  const emptyTransaction = await measure(count, serverCpu, () => times(count, () => floor.emptyTransaction()));
  const exchangeHundred = await measure(count, serverCpu, () => times(hundreds, () => floor.exchangeHundred()));
  const claimAndSettle = await measure(count, serverCpu, () => floor.claimAndSettle(count));
  const handWritten = await measureHandWritten(floor, serverCpu, { payload, count });
  const publishRoundTrip = await measurePublish(floor, serverCpu, warm);
  return { insertOne, insertHundred, emptyTransaction, exchangeHundred, claimAndSettle, handWritten, publishRoundTrip };
}

async function measureHandWritten(
  { handWritten: queue }: Floor,
  serverCpu: ServerCpu,
  { payload, count }: { readonly payload: string; readonly count: number },
): Promise<HandWrittenFigures | undefined> {
  if (queue === undefined) return undefined;
  const hundreds = Math.ceil(count / 100);
  const many = (work: () => Promise<unknown>) => measure(hundreds * 100, serverCpu, () => times(hundreds, work));
  await times(Math.ceil(count / 10), () => queue.insertOne(payload));
  const insertOne = await measure(count, serverCpu, () => times(count, () => queue.insertOne(payload)));
  await times(hundreds, () => queue.insertHundred(payload));
  const insertHundred = await many(() => queue.insertHundred(payload));
  await times(hundreds, () => queue.exchangeHundred());
  const exchangeHundred = await many(() => queue.exchangeHundred());
  const claimAndSettle = await measure(count, serverCpu, () => queue.claimAndSettle(count));
  return { insertOne, insertHundred, exchangeHundred, claimAndSettle };
}

async function measurePublish(floor: Floor, serverCpu: ServerCpu, count: number): Promise<Figure | undefined> {
  const { publishRoundTrip } = floor;
  if (publishRoundTrip === undefined) return undefined;
  await times(count, publishRoundTrip);
  return await measure(count, serverCpu, () => times(count, publishRoundTrip));
}

async function times(rounds: number, work: () => Promise<unknown>): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await work();
}
