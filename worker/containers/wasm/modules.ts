// The interpreters as WebAssembly modules. The service or a test registers them for the whole process, not for one cluster.
import type { WasmModule } from "./webassembly.ts";

export type Interpreter = "python" | "javascript" | "sql";

let source: ((name: Interpreter) => WasmModule) | undefined;

/** Registers the source of the interpreters, each with a counter of its steps: see `scripts/interpreters/meter.ts`. */
export function findInterpreters(find: (name: Interpreter) => WasmModule): void {
  source = find;
}

/** Returns an interpreter; undefined if the service was started without interpreters. */
export function interpreterModule(name: Interpreter): WasmModule | undefined {
  return source?.(name);
}
