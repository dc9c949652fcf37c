// What Prisma's generated code reaches for, none of which is declared anywhere.

declare module "@prisma/client/runtime/query_compiler_fast_bg.postgresql.mjs" {
  export const __wbg_set_wasm: (exports: unknown) => void;
  export const QueryCompiler: new () => never;
}

declare module "@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64.mjs" {
  export const wasm: string;
}

declare namespace WebAssembly {
  const Module: new (bytes: Uint8Array) => object;
}
