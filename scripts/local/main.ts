// A local run of a checkout: it is built first.
import { build, root } from "../build.ts";
import { runLocally } from "./run.ts";

await runLocally({ root, ...(process.env.SANDBAR_SKIP_BUILD ? {} : { build }) });
