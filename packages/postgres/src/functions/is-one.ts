/**
 * That a column with an index equals a value of another row, said so that the index is the only way. Of a plain equality
 * the planner may also think to read the whole index in order and look for each row among the few others; over a table
 * that was empty when the plan was made that costs least, and the plan stays until statistics are gathered: with 20,000
 * jobs waiting a renewal of ten read 39,000 pages, the end of a blocker 20,000.
 */
export function isOne(column: string, value: string): string {
  return `${column} = any(array[${value}])`;
}
