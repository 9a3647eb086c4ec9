// The product's Worker with two additions: it reports how much its objects have written, and evicts them. Only the bench builds this.
import worker, { ClusterObject as Product } from "../../worker/index.ts";
import type { Env } from "../../worker/env.ts";

export { TenantObject } from "../../worker/index.ts";

export interface Written {
  /** Rows that SQL statements wrote, as the platform bills them. */
  readonly rows: number;
  /** Calls of setAlarm, each of which is billed as one row. */
  readonly alarms: number;
  /** The size of the database. */
  readonly bytes: number;
}

export class ClusterObject extends Product {
  readonly #written: { rows: number; alarms: number };

  constructor(ctx: DurableObjectState, env: Env) {
    const written = { rows: 0, alarms: 0 };
    count(ctx.storage, written);
    super(ctx, env);
    this.#written = written;
  }

  /** Evicts the object from memory. Its next request opens it again. */
  evict(): void {
    this.ctx.abort("evicted");
  }

  written(): Written {
    return { ...this.#written, bytes: this.ctx.storage.sql.databaseSize };
  }
}

/** Counts rows and alarms. The platform returns the same storage object each time, so its methods can be replaced. */
function count(storage: DurableObjectStorage, written: { rows: number; alarms: number }): void {
  const { sql } = storage;
  const exec = sql.exec.bind(sql);
  const setAlarm = storage.setAlarm.bind(storage);
  sql.exec = ((query: string, ...bindings: unknown[]) => {
    const cursor = exec(query, ...bindings);
    written.rows += cursor.rowsWritten;
    return cursor;
  }) as typeof sql.exec; // the same signature, its type parameter aside
  storage.setAlarm = (time, options) => {
    written.alarms++;
    return setAlarm(time, options);
  };
}

const path = /^\/bench\/(written|evict)\/(.+)$/;

export default {
  async fetch(request, env) {
    const [, what, id] = path.exec(new URL(request.url).pathname) ?? [];
    if (id === undefined) return worker.fetch(request, env);
    // The binding creates the class above.
    const object = env.CLUSTERS.getByName(id) as unknown as { written(): Promise<Written>; evict(): Promise<void> };
    if (what === "written") return Response.json(await object.written());
    // The call is aborted with the object.
    await object.evict().catch(() => undefined);
    return new Response();
  },
} satisfies ExportedHandler<Env>;
