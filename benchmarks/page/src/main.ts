import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { pageText } from "./page-text.ts";
import { readResults } from "./read-results.ts";

const tools = new URL("../../", import.meta.url);
const results = new URL("results/", tools);
const page = new URL("../docs-site/benchmarks/", tools);

const read = readResults(results, tools);
mkdirSync(page, { recursive: true });
for (const chart of read.charts) copyFileSync(new URL(chart, results), new URL(chart, page));
writeFileSync(new URL("index.md", page), `${pageText(read)}\n`);
