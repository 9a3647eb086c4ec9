// The interpreters for tests: those of the packages, with the counter that the build gives them.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { interpreterFiles, meteredInterpreter } from "../scripts/interpreters/interpreters.ts";
import { findInterpreters, type Interpreter } from "../worker/containers/wasm/modules.ts";
import { type WasmModule, wasm } from "../worker/containers/wasm/webassembly.ts";

const root = join(import.meta.dirname, "..");
const folder = join(root, "node_modules/.cache/interpreters");
const modules = new Map<Interpreter, WasmModule>();

findInterpreters((name) => {
  const module = modules.get(name) ?? new wasm.Module(built(name));
  modules.set(name, module);
  return module;
});

/** Made once for all tests of this version. */
function built(name: Interpreter): Uint8Array<ArrayBuffer> {
  const path = join(folder, `${interpreterFiles[name].replaceAll("/", "_")}.${version(name)}`);
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    const temporaryPath = `${path}.${process.pid}`;
    writeFileSync(temporaryPath, meteredInterpreter(root, name));
    renameSync(temporaryPath, path);
  }
  return Uint8Array.from(readFileSync(path));
}

/** Returns a version that changes with the package of the interpreter and with the program that counts its steps. */
function version(name: Interpreter): string {
  const meter = readFileSync(join(root, "scripts/interpreters/meter.ts"), "utf8");
  const [first = "", second = ""] = interpreterFiles[name].split("/");
  const owner = first.startsWith("@") ? join(first, second) : first;
  const text = readFileSync(join(root, "node_modules", owner, "package.json"), "utf8");
  return `${(JSON.parse(text) as { version: string }).version}-${meter.length}`;
}
