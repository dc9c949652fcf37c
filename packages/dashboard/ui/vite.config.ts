import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

// The server writes `<base href>` into the page, so every address in the build is a relative one.
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "./",
  build: {
    outDir: "../dist/ui",
    emptyOutDir: true,
    target: "es2022",
    // One style sheet and no assets inside it: the content security policy allows neither inline styles nor data URLs.
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: "licenses.md" },
  },
});
