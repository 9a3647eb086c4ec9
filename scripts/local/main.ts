// Runs the service of a checkout, after building it.
import { fileURLToPath } from "node:url";
import { runLocally } from "./run.ts";

// Loading the build's tools takes longer than starting the service, so they are loaded only for a build.
const build = process.env.SANDBAR_SKIP_BUILD ? undefined : (await import("../build.ts")).build;
await runLocally({ root: fileURLToPath(new URL("../..", import.meta.url)), ...(build ? { build } : {}) });
