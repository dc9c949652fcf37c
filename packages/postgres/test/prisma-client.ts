import { PrismaPg } from "@prisma/adapter-pg";
import { getPrismaClient } from "@prisma/client/runtime/client";
import { Pool } from "pg";
import { prismaDriver } from "../src/orms/prisma.ts";
import type { Orm } from "./orm-clients.ts";

/** The generated description of a Prisma schema; this one has no models. */
const prismaConfig: Parameters<typeof getPrismaClient>[0] = {
  previewFeatures: [],
  clientVersion: "7.10.0",
  engineVersion: "",
  activeProvider: "postgresql",
  inlineSchema: 'generator client { provider = "prisma-client" }\ndatasource db { provider = "postgresql" }',
  runtimeDataModel: { models: {}, enums: {}, types: {} },
  parameterizationSchema: { strings: [], graph: "AAAA" },
  compilerWasm: {
    getRuntime: () => import("@prisma/client/runtime/query_compiler_fast_bg.postgresql.mjs"),
    getQueryCompilerWasmModule: async () => {
      const { wasm } = await import("@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64.mjs");
      return new WebAssembly.Module(Buffer.from(wasm, "base64"));
    },
    importName: "./query_compiler_fast_bg.js",
  },
};

export interface PrismaTx {
  $queryRawUnsafe<T>(text: string, ...values: unknown[]): PromiseLike<T>;
  $executeRawUnsafe(text: string): Promise<unknown>;
}

export const openPrisma = (url: string, max = 12, transactionOptions = {}) => {
  const pool = new Pool({ connectionString: url, max });
  const prisma = new (getPrismaClient(prismaConfig))({
    adapter: new PrismaPg(pool),
    errorFormat: "minimal",
    transactionOptions,
  });
  return {
    begin: (run) => prisma.$transaction(run),
    driver: prismaDriver(prisma, pool),
    execute: (tx, text) => tx.$executeRawUnsafe(text),
    rows: async (tx, text) => tx.$queryRawUnsafe<object[]>(text),
    end: async () => {
      await prisma.$disconnect();
      await pool.end();
    },
  } satisfies Orm<PrismaTx>;
};
