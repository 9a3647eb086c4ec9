// Runs the top-level code of a built Worker in this process, and prints the milliseconds of CPU time that it took. Needs
// `--experimental-vm-modules`.
import { readdirSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { SourceTextModule } from "node:vm";

// Stubs of the platform's modules: only their names are needed, since nothing is called.
const platform =
  "data:text/javascript,export class DurableObject {} export class WorkerEntrypoint {} export const env = {}; export const waitUntil = () => {};";

/** The platform has compiled WebAssembly modules before it starts a Worker. */
const compiled = "data:text/javascript,export default {};";

const loaded = new Set<string>();

registerHooks({
  resolve: (name, context, next) => {
    const stub = name.startsWith("cloudflare:") ? platform : name.endsWith(".wasm") ? compiled : undefined;
    const resolved = stub === undefined ? next(name, context) : { url: stub, shortCircuit: true };
    loaded.add(resolved.url);
    return resolved;
  },
});

const path = process.argv[2] ?? "";
const folder = dirname(path);
const modules = readdirSync(folder).filter((name) => name.endsWith(".js"));
const before = process.cpuUsage();
await import(pathToFileURL(path).href);
// workerd also compiles the modules that are imported later.
for (const name of modules) {
  const module = join(folder, name);
  if (!loaded.has(pathToFileURL(module).href)) new SourceTextModule(readFileSync(module, "utf8"));
}
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);
