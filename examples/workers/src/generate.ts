// Makes the client of the Go worker from the OpenAPI document of the gateway. Needs Go.
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { workerDocument } from "./document.ts";

const generator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2";
const cwd = fileURLToPath(new URL("../go", import.meta.url));
const generated = join(cwd, "gateway/gateway.gen.go");

const { text, digest } = await workerDocument();
const folder = await mkdtemp(join(tmpdir(), "chainwright-openapi-"));
try {
  const document = join(folder, "openapi.json");
  await writeFile(document, text);
  const args = ["run", generator, "-config", "oapi-codegen.yaml", "-o", generated, document];
  execFileSync("go", args, { cwd, stdio: "inherit" });
} finally {
  await rm(folder, { recursive: true });
}
const code = await readFile(generated, "utf8");
await writeFile(
  generated,
  code.replace("DO NOT EDIT.\n", `DO NOT EDIT.\n// Made from the document with SHA-256 ${digest}.\n`),
);
