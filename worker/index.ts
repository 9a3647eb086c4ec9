// The Worker: the edge handles requests, and each cluster is a Durable Object.
import { handle } from "./edge/handler.ts";
import type { Env } from "./env.ts";
import { findInterpreters } from "./containers/wasm/modules.ts";
// WebAssembly modules that the build puts beside the Worker: see `scripts/interpreters`.
import javascript from "./javascript.wasm";
import python from "./python.wasm";
import sql from "./sql.wasm";
import { exportGaugesBy } from "./metrics/object.ts";
import { disableFreezing } from "./store/freeze.ts";
import { gradeExamsBy } from "./tenant/reminders.ts";

disableFreezing();
const interpreters = { javascript, python, sql };
findInterpreters((name) => interpreters[name]);
gradeExamsBy(async (env, tenant) => {
  const { gradeExamsOf } = await import("./edge/service/grade-exams.ts");
  // Objects have the bindings of the whole Worker.
  return gradeExamsOf(env as Env, tenant);
});

exportGaugesBy(async (env) => {
  const { gaugesOf } = await import("./edge/service/gauges.ts");
  // Objects have the bindings of the whole Worker.
  return gaugesOf(env as Env);
});

export { ClusterObject } from "./cluster/object.ts";
export { MetricsObject } from "./metrics/object.ts";
export { TenantObject } from "./tenant/object.ts";

/** The entry of the local service. Miniflare puts two Workers of its own, which route static files, before the default one. */
export const direct = { fetch: handle } satisfies ExportedHandler<Env>;

// The platform reads the default export.
export default {
  fetch: (request, env) => handle(request, env),
  scheduled: async (_event, env) => (await import("./edge/service/sweep.ts")).sweep(env),
} satisfies ExportedHandler<Env>;
