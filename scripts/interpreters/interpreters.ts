// The WebAssembly interpreters of programs in containers: their files in packages, and the metered modules for the Worker.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { metered } from "./meter.ts";

/** Files in `node_modules`, by the names of `worker/containers/wasm/modules.ts`. */
export const interpreterFiles = {
  python: "@micropython/micropython-webassembly-pyscript/micropython.wasm",
  javascript: "@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm",
  sql: "sql.js/dist/sql-wasm.wasm",
} as const;

export const interpreterNames = ["python", "javascript", "sql"] as const;

/** Returns a module with a counter. `root`: the project's folder. */
export function meteredInterpreter(root: string, name: keyof typeof interpreterFiles): Uint8Array<ArrayBuffer> {
  return metered(readFileSync(join(root, "node_modules", interpreterFiles[name])));
}

/** Writes `python.wasm` and so on into an existing folder. */
export function writeInterpreters(root: string, folder: string): void {
  for (const name of interpreterNames) writeFileSync(join(folder, `${name}.wasm`), meteredInterpreter(root, name));
}
