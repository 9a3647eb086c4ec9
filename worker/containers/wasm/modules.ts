// The interpreters as WebAssembly: who starts the service, or a test, says where they are. They are the process's, not a cluster's.
import type { WasmModule } from "./webassembly.ts";

export type Interpreter = "python" | "javascript" | "sql";

let source: ((name: Interpreter) => WasmModule) | undefined;

/** From now on interpreters are found there, each with a counter of its steps: see `scripts/interpreters/meter.ts`. */
export function findInterpreters(find: (name: Interpreter) => WasmModule): void {
  source = find;
}

/** Undefined where the service was started without them. */
export function interpreterModule(name: Interpreter): WasmModule | undefined {
  return source?.(name);
}
