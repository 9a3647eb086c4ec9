// Runs the outermost code of a built Worker in this process, and prints how many milliseconds of CPU time that took.
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

// What the platform brings: only its names are needed, for nothing is called.
const platform =
  "data:text/javascript,export class DurableObject {} export class WorkerEntrypoint {} export const env = {}; export const waitUntil = () => {};";

/** The platform has compiled modules of WebAssembly when it starts a Worker. */
const compiled = "data:text/javascript,export default {};";

registerHooks({
  resolve: (name, context, next) => {
    const own = name.startsWith("cloudflare:") ? platform : name.endsWith(".wasm") ? compiled : undefined;
    return own === undefined ? next(name, context) : { url: own, shortCircuit: true };
  },
});

const path = process.argv[2] ?? "";
const before = process.cpuUsage();
await import(pathToFileURL(path).href);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);
