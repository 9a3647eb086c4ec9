// Runs the outermost code of a built Worker in this process, and prints how many milliseconds of CPU time that took.
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

// What the platform brings: only its names are needed, for nothing is called.
const platform =
  "data:text/javascript,export class DurableObject {} export class WorkerEntrypoint {} export const env = {}; export const waitUntil = () => {};";

registerHooks({
  resolve: (name, context, next) =>
    name.startsWith("cloudflare:") ? { url: platform, shortCircuit: true } : next(name, context),
});

const path = process.argv[2] ?? "";
const before = process.cpuUsage();
await import(pathToFileURL(path).href);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);
