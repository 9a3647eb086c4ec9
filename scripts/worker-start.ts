// Runs the top-level code of a built Worker in this process, and prints the milliseconds of CPU time that it took.
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

// Stubs of the platform's modules: only their names are needed, since nothing is called.
const platform =
  "data:text/javascript,export class DurableObject {} export class WorkerEntrypoint {} export const env = {}; export const waitUntil = () => {};";

/** The platform has compiled WebAssembly modules before it starts a Worker. */
const compiled = "data:text/javascript,export default {};";

registerHooks({
  resolve: (name, context, next) => {
    const stub = name.startsWith("cloudflare:") ? platform : name.endsWith(".wasm") ? compiled : undefined;
    return stub === undefined ? next(name, context) : { url: stub, shortCircuit: true };
  },
});

const path = process.argv[2] ?? "";
const before = process.cpuUsage();
await import(pathToFileURL(path).href);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);
