// The Durable Object: a shell around one cluster. It opens the parts, gives each request its turn, and keeps the one alarm.
import { DurableObject } from "cloudflare:workers";
import { systemClock } from "../../shared/base/clock.ts";
import { limits } from "../../shared/base/limits.ts";
import { systemRandom } from "../../shared/base/random.ts";
import type {
  ClusterRpc,
  InitializeOptions,
  InitializeResult,
  NewToken,
} from "../../shared/contract/cluster-object.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { plugins } from "../admission/catalogue.ts";
import { handle } from "../api/handler.ts";
import type { Service } from "../api/service.ts";
import type { Env } from "../env.ts";
import { kinds } from "../kinds/catalogue.ts";
import { createTables, hasTables, readMeta, writeMeta } from "../store/tables.ts";
import { bootstrap } from "./bootstrap.ts";
import { type Cluster, openCluster } from "./cluster.ts";
import { allControllers } from "./controllers.ts";
import { durableSql } from "./do-sql.ts";
import { applyManifests } from "./manifests.ts";
import { adminToken, identify, storeToken } from "./tokens.ts";
import { LiveWatches } from "./watch-sockets.ts";

/** Drains of one alarm run; between two of them waiting requests are answered. */
const drainsPerAlarm = 50;
/** After a run that failed for no reason of its own. */
const alarmRetryMs = 5_000;

interface Open extends Cluster {
  readonly service: Service;
  readonly watches: LiveWatches;
  readonly expiresAtMs: number;
}

export class ClusterObject extends DurableObject<Env> implements ClusterRpc {
  readonly #sql = durableSql(this.ctx.storage);
  #open: Open | undefined;
  /** When the alarm is set for; unknown after waking. */
  #alarmMs: number | undefined;

  /** Creates nothing: a request to an expired or invented cluster must rebuild nothing. */
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    if (hasTables(this.#sql)) this.#open = this.#build();
  }

  async initialize(options: InitializeOptions): Promise<InitializeResult> {
    createTables(this.#sql);
    writeMeta(this.#sql, "name", options.name);
    writeMeta(this.#sql, "expiresAtMs", String(options.expiresAtMs));
    storeToken(this.#sql, adminToken(options.adminTokenHash));
    const open = this.#build();
    this.#open = open;
    bootstrap(open.system, { nodes: options.nodes, nowMs: systemClock.nowMs() });
    // The accounts and root certificates that pods of the manifests need are made by controllers.
    open.runtime.drain(limits.drainPerRequest);
    try {
      if (options.manifests.trim() !== "") open.service.turn(() => applyManifests(open.registry, options.manifests));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await this.destroy();
      return { ok: false, code: error.reason, message: error.message, field: "manifests" };
    }
    this.#afterTurn(open);
    return { ok: true };
  }

  async addToken(token: NewToken): Promise<void> {
    if (!this.#open) throw new Error("the sandbox is gone");
    storeToken(this.#sql, token);
  }

  async destroy(): Promise<void> {
    this.#open?.watches.closeAll("the sandbox is gone");
    this.#open = undefined;
    this.#alarmMs = undefined;
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  override async fetch(request: Request): Promise<Response> {
    const open = this.#open;
    if (!open || open.expiresAtMs <= Date.now()) return gone();
    return handle(open.service, request);
  }

  /** Never throws: the platform drops an alarm that does so six times. */
  override async alarm(): Promise<void> {
    this.#alarmMs = undefined;
    const open = this.#open;
    if (!open) return;
    if (open.expiresAtMs <= Date.now()) return this.destroy();
    try {
      for (let run = 0; run < drainsPerAlarm && this.#open === open; run++) {
        const done = open.runtime.drain(limits.drainPerAlarm);
        open.watches.flush();
        if (done < limits.drainPerAlarm) break;
        await scheduler.wait(0);
      }
      this.#afterTurn(open);
    } catch (error) {
      report(error, "alarm");
      await this.ctx.storage.setAlarm(Date.now() + alarmRetryMs);
    }
  }

  override webSocketMessage(): void {
    // A watch says nothing; what a client sends is ignored.
  }

  override webSocketClose(socket: WebSocket): void {
    this.#open?.watches.drop(socket);
    try {
      socket.close(1000, "the watch has ended");
    } catch {
      // The platform has answered the close already.
    }
  }

  override webSocketError(socket: WebSocket): void {
    this.#open?.watches.drop(socket);
  }

  #build(): Open {
    const cluster = openCluster({
      sql: this.#sql,
      clock: systemClock,
      random: systemRandom,
      kinds,
      plugins,
      controllers: allControllers({
        zeroDelays: this.env.SANDBAR_KUBELET_DELAYS === "zero",
        caPem: this.env.SANDBAR_CA ?? "",
      }),
      report,
    });
    const watches = new LiveWatches(this.ctx, cluster.registry, this.#sql);
    const open: Open = {
      ...cluster,
      watches,
      expiresAtMs: Number(readMeta(this.#sql, "expiresAtMs") ?? "0"),
      service: {
        registry: cluster.registry,
        sockets: watches,
        authenticate: (token) => identify(this.#sql, token, Date.now()),
        turn: (body) => this.#turn(open, body),
        report,
      },
    };
    return open;
  }

  #turn<T>(open: Open, body: () => T): T {
    try {
      const result = body();
      open.runtime.drain(limits.drainPerRequest);
      return result;
    } finally {
      this.#afterTurn(open);
    }
  }

  #afterTurn(open: Open): void {
    open.watches.flush();
    const dueMs = Math.min(open.runtime.nextDueMs() ?? Number.POSITIVE_INFINITY, open.expiresAtMs);
    if (dueMs === this.#alarmMs) return;
    this.#alarmMs = dueMs;
    void this.ctx.storage.setAlarm(dueMs);
  }
}

/** What a sandbox past its time answers. */
function gone(): Response {
  const error = new ApiError(410, "Gone", "the sandbox has expired or was deleted");
  return Response.json(error.toStatus(), { status: 410, headers: { "cache-control": "no-cache, private" } });
}

function report(error: unknown, where: string): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  console.error(JSON.stringify({ level: "error", where, error: text }));
}
