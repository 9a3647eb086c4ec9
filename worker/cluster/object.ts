// The Durable Object of one cluster. It composes the objects that each own one part (the open cluster, turns, the alarm, outbound calls), and
// answers the edge's requests and calls.
import { systemClock } from "../../shared/base/clock.ts";
import { systemRandom } from "../../shared/base/random.ts";
import { limits } from "../../shared/base/limits.ts";
import { type MaybePromise, whenThere } from "../api/maybe-promise.ts";
import { newDiskSpace } from "../../shared/base/disk/disk-space.ts";
import type { SandboxHealth } from "../../shared/contract/hosted/admin.ts";
import type * as Rpc from "../../shared/contract/cluster-object.ts";
import type { KubernetesVersion } from "../../shared/k8s/settings/release.ts";
import type {
  ClusterLifeRpc,
  ClusterOrigin,
  SandboxStanding,
  SetNodes,
  SetVersion,
} from "../../shared/contract/cluster/life.ts";
import { endings } from "../../shared/contract/endings.ts";
import type { NotReady } from "../../shared/contract/sandbox.ts";
import type { AuditEvent } from "../../shared/k8s/audit/event.ts";
import type { ManifestPiece } from "../../shared/schema/yaml/pieces/piece.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { isContinuation, tooManyRequests } from "../api/filters/max-in-flight.ts";
import { handle } from "../api/handler.ts";
import type { Controller } from "../runtime/controller.ts";
import { clusterAuthority } from "./certificates/authority.ts";
import { whenNoneIsLeft } from "./bootstrap/waiting.ts";
import { scaleSomeNodes } from "./bootstrap/scale-nodes.ts";
import { ClusterCalls } from "./calls.ts";
import { allControllers, paceOf } from "./controllers.ts";
import { clusterSource } from "./lifecycle/cluster-source.ts";
import { Creation } from "./lifecycle/creation.ts";
import { CurrentCluster } from "./lifecycle/current-cluster.ts";
import { ObjectCopies } from "./lifecycle/object-copies.ts";
import { durableSql } from "./do-sql.ts";
import type { ClusterEnv } from "./env.ts";
import { healthOf } from "./figures/health.ts";
import { meterOf, startOf } from "./figures/metering.ts";
import { frontProxy } from "./certificates/front-proxy.ts";
import { Lessons } from "./lessons/lessons.ts";
import { ReceivedImport } from "./manifests/received-import.ts";
import { refusalOfManifests } from "./manifests/refusal.ts";
import { type ControllerSettings, dueMsOf, type Host, type Open, report, takeStanding } from "./open.ts";
import { PendingOutboundCalls } from "./outside/pending-outbound-calls.ts";
import { isTunnels } from "./outside/tunnels.ts";
import type { ContainerRecord } from "./runs/timeline.ts";
import { keepOriginNodes, readOrigin } from "./settings/origin.ts";
import { settingsProblem, upgradeRefusal } from "./settings/problem.ts";
import { readSettings, writeExpiry, writeStanding } from "./settings/settings.ts";
import { goneResponse, refusal, suspendedResponse } from "./state/ended.ts";
import { refusalOf, States } from "./state/states.ts";
import { dateBy } from "./time/clock/cluster-clock.ts";
import { Clocks } from "./time/clock/clocks.ts";
import { ClusterFaults } from "./time/faults/cluster-faults.ts";
import { momentOf } from "./time/past/registry-at.ts";
import { Pasts } from "./time/past/pasts.ts";
import { tokenKey } from "./token-key.ts";
import { addToken, listTokens, removeToken, renewCredentials } from "./tokens.ts";
import { count } from "../metrics/record.ts";
import { observeAlarm } from "../metrics/alarms.ts";
import { hasTables } from "../store/tables.ts";
import { Alarm, alarmRetryMs } from "./turns/alarm.ts";
import { AlarmRunner } from "./turns/alarm-runner.ts";
import { FairShares } from "./turns/fair-shares.ts";
import { pausedIn, turnQueueOf } from "./turns/own-queue.ts";
import { isLater } from "./turns/pace.ts";
import { serviceReadiness } from "./turns/service-ready.ts";
import { TurnRunner } from "./turns/turn-runner.ts";
import { answerClose, dropSocket, endAllSockets, endSocketsOf } from "./watches/sockets.ts";

/** The shares of all objects in this isolate, which run on one thread. */
const shares = new FairShares(Date.now);

export class ClusterObject extends ClusterCalls implements Rpc.ClusterRpc, ClusterLifeRpc {
  readonly #diskSpace = newDiskSpace(this.env.OUTSIDE, Date.now);
  readonly #sql = durableSql(this.ctx.storage, () => this.#diskSpace.isShort);
  readonly #current = new CurrentCluster();
  readonly #alarm = new Alarm(this.ctx.storage, this.ctx.id.toString());
  readonly #serviceIsReady = serviceReadiness(this.env.OUTSIDE);
  readonly #frontProxy = frontProxy(this.#sql, systemClock);
  readonly #queue = turnQueueOf(this.ctx, shares, () => this.#current.open);
  readonly #pause = () => pausedIn(this.#queue);
  readonly #meter = meterOf({ state: this.ctx, env: this.env, sql: this.#sql, open: () => this.#current.open });
  readonly #turns: TurnRunner = new TurnRunner({
    current: this.#current,
    queue: this.#queue,
    alarm: this.#alarm,
    callOutside: (open) => this.#outboundCalls.callForControllers(open),
    waitUntil: (promise) => this.ctx.waitUntil(promise),
  });
  readonly #outboundCalls = new PendingOutboundCalls({
    current: this.#current,
    continueWith: (open) => this.#turns.run(open, () => undefined),
    settle: (open) => this.#turns.settle(open),
  });
  readonly #alarmRunner = new AlarmRunner({
    current: this.#current,
    alarm: this.#alarm,
    queue: this.#queue,
    turns: this.#turns,
    destroy: () => this.destroy(),
    checkDiskSpace: () => this.checkDiskSpace(),
    onDisk: () => this.ctx.storage.sync(),
    count: () => this.#meter.countAlarm(),
    callOutside: (open) => this.#outboundCalls.callForControllers(open),
  });
  readonly #receivedImport = new ReceivedImport({
    sql: this.#sql,
    measure: (body) => this.#queue.measure(body),
    pause: this.#pause,
  });
  readonly #creation = new Creation({
    receivedImport: this.#receivedImport,
    sql: this.#sql,
    current: this.#current,
    turns: this.#turns,
    host: this.#host(),
    signers: () => this.#signers(),
    pause: this.#pause,
  });
  readonly #living = () => this.#current.living();
  protected readonly lessons = new Lessons<Open>({
    current: this.#living,
    turn: (open, body) => this.#turns.run(open, body, "atOnce"),
    pause: this.#pause,
  });
  protected readonly states = new States<Open>({
    sql: this.#sql,
    current: this.#living,
    certificates: () => this.#creation.certificates(),
    pause: this.#pause,
    replace: (open, file) => this.#creation.restore(open, file),
  });
  protected readonly pasts = new Pasts<Open>({
    sql: this.#sql,
    current: this.#living,
    turn: (open, body) => this.#turns.run(open, body),
  });
  protected readonly faults = new ClusterFaults<Open>({
    current: this.#living,
    turn: (open, body) => this.#turns.run(open, body),
    wait: (ms) => scheduler.wait(ms),
  });
  protected readonly clocks = new Clocks<Open>({
    ...{ current: this.#living, turns: this.#queue, pause: this.#pause },
    wait: (ms) => scheduler.wait(ms),
    realMs: Date.now,
    isLater,
    drainCarefully: (open) => this.#alarmRunner.drainCarefully(open),
    flush: (open) => this.#turns.flush(open),
    settle: (open) => this.#turns.run(open, () => undefined),
    keepAlive: () => void this.#alarm.set(Date.now() + alarmRetryMs),
  });

  protected readonly copies = new ObjectCopies({
    kind: "cluster",
    sql: this.#sql,
    nowMs: Date.now,
    newSession: () => systemRandom.uuid(),
    isStored: () => hasTables(this.#sql),
    source: () => clusterSource(this.#sql, () => this.#current.open),
    turn: async () => this.#queue.next(),
    wipe: () => this.destroy(),
    open: () => {
      this.#openStored();
      this.#current.stored();
    },
  });

  /** Creates nothing: a request to an expired or unknown cluster must not create tables. */
  constructor(ctx: DurableObjectState, env: ClusterEnv) {
    super(ctx, env);
    this.#openStored();
  }

  #openStored(): void {
    this.#current.openStored(() => {
      const open = this.#creation.openStored();
      if (!open) return;
      count("sandbar_object_reopenings_total", "cluster");
      open.news.tellAll();
      void this.#alarm.keepAtOpening(this.ctx, () => dueMsOf(open));
    });
  }

  async initialize(options: Rpc.InitializeOptions): Promise<Rpc.InitializeResult> {
    const problem = settingsProblem(options.settings, options.nodes);
    if (problem) return problem;
    this.#current.stored();
    try {
      const result = await this.#creation.create(options);
      if (!(result instanceof ApiError)) return { ok: true, start: startOf(this.#current.open), ...result };
      await this.destroy();
      return refusalOfManifests(result, options.import === undefined ? "manifests" : "import");
    } catch (error) {
      // A cluster that was created in part is deleted.
      await this.destroy();
      if (options.state) return { ...refusalOf(error), field: "state" };
      throw error;
    }
  }

  async receiveImport(pieces: readonly ManifestPiece[]) {
    await this.checkDiskSpace();
    if (this.#current.stored()) throw new Error("objects of an import are received before the cluster is created");
    return this.#importing(async () => {
      await this.#receivedImport.receive(pieces);
      return { ok: true } as const;
    });
  }

  async continueImport() {
    await this.checkDiskSpace();
    return this.#importing(async () => {
      const importedObjects = await this.#receivedImport.continue();
      const { open } = this.#current;
      if (!importedObjects || !open) return { ok: true, isDone: false } as const;
      this.#turns.settle(open);
      return { ok: true, isDone: true, start: startOf(open), ...importedObjects } as const;
    });
  }

  /** Runs a part of an import. If it fails, what was stored is deleted. */
  async #importing<Done>(body: () => Promise<Done>) {
    try {
      return await body();
    } catch (error) {
      await this.destroy();
      if (error instanceof ApiError) return refusalOfManifests(error, "import");
      throw error;
    }
  }

  protected checkDiskSpace(): Promise<void> {
    return this.#diskSpace.check();
  }

  async setExpiry(expiresAtMs: number): Promise<boolean> {
    const open = this.#living();
    if (!open) return false;
    open.expiresAtMs = writeExpiry(this.#sql, expiresAtMs);
    this.#turns.settle(open);
    return true;
  }

  async setNodes(count: number, before: number): Promise<SetNodes> {
    const problem = settingsProblem(readSettings(this.#sql), count);
    if (problem) return problem;
    keepOriginNodes(this.#sql, before);
    try {
      for (let isDone = false; !isDone; ) {
        const open = this.#living();
        if (!open) return { ok: false, code: "expired", message: "the sandbox has expired" };
        isDone = this.#turns.run(open, () => scaleSomeNodes(open.system, count, open.clock.nowMs()));
        if (!isDone) await this.#pause();
      }
      return { ok: true };
    } catch (error) {
      if (error instanceof ApiError)
        return { ok: false, code: "limit_exceeded", message: error.message, field: "nodes" };
      throw error;
    }
  }

  async setVersion(version: KubernetesVersion): Promise<SetVersion> {
    const open = this.#living();
    if (!open) return { ok: false, code: "expired", message: "the sandbox has expired" };
    const problem = upgradeRefusal(readSettings(this.#sql), version);
    if (problem) return problem;
    this.#creation.upgrade(open, version);
    return { ok: true };
  }

  async notReady(waitMs: number): Promise<NotReady[] | undefined> {
    return whenNoneIsLeft({
      open: () => this.#current.stored(),
      pause: (ms) => scheduler.wait(ms),
      endMs: Date.now() + Math.min(waitMs, limits.readyCallMs),
      nowMs: Date.now,
    });
  }

  async origin(): Promise<ClusterOrigin | undefined> {
    return this.#current.stored() && readOrigin(this.#sql);
  }

  async setStanding(standing: SandboxStanding): Promise<void> {
    const open = this.#current.stored();
    if (!open) return;
    const settings = this.#diskSpace.withReserve(() => writeStanding(this.#sql, standing));
    takeStanding(open, settings);
    if (open.suspended !== "") endAllSockets(this.ctx, endings.suspended);
    this.#turns.settle(open);
  }

  async health(): Promise<SandboxHealth | undefined> {
    const open = this.#current.stored();
    return open && healthOf(open, this.ctx.storage.sql.databaseSize);
  }

  async addToken(token: Rpc.NewToken): Promise<Rpc.AddedToken> {
    if (!this.#current.stored()) return "gone";
    return addToken(this.#sql, token, Date.now()) ? "added" : "full";
  }

  async listTokens(): Promise<Rpc.StoredToken[]> {
    return this.#current.stored() ? listTokens(this.#sql, Date.now()) : [];
  }

  async removeToken(id: string): Promise<boolean> {
    if (!this.#current.stored() || !this.#diskSpace.withReserve(() => removeToken(this.#sql, id))) return false;
    endSocketsOf(this.ctx, id, endings.revoked);
    return true;
  }

  async renewTokens(renewed: Rpc.RenewedTokens): Promise<boolean> {
    const open = this.#current.stored();
    if (!open) return false;
    const revokedIds = this.#diskSpace.withReserve(() => renewCredentials(this.#sql, renewed, open.clock.nowMs()));
    for (const id of revokedIds) endSocketsOf(this.ctx, id, endings.revoked);
    return true;
  }

  async listAuditEvents(): Promise<AuditEvent[]> {
    return [...(this.#current.stored()?.auditLog.list() ?? [])];
  }

  async destroy(): Promise<void> {
    endAllSockets(this.ctx, endings.gone);
    this.ctx.waitUntil(this.#meter.flush());
    this.#current.forget();
    this.#alarm.forget();
    // Deletes the alarm, too. If the alarm were deleted first, an object that is reset in between would stay for ever.
    await this.ctx.storage.deleteAll();
  }

  override fetch(request: Request): MaybePromise<Response> {
    // A step that continues an admitted request is never refused.
    const admitted: MaybePromise<unknown> = isContinuation(request) ? this.#queue.next() : this.#queue.admit(request);
    return whenThere(admitted, (isAdmitted) => {
      if (isAdmitted === false) return tooManyRequests();
      const isWrite = request.method !== "GET";
      return this.env.OUTSIDE && isWrite
        ? this.#diskSpace.check().then(() => this.#answer(request))
        : this.#answer(request);
    });
  }

  #answer(request: Request): MaybePromise<Response> {
    const failure = this.#current.failure();
    if (failure) return refusal(failure);
    const { open } = this.#current;
    if (!open || open.expiresAtMs <= Date.now()) return goneResponse();
    if (open.suspended !== "") return suspendedResponse(open.suspended);
    return whenThere(
      this.#queue.measure(() => handle(open.service, request)),
      (response) => {
        this.#meter.countResponse(response);
        // The header is set here, because the edge would have to copy the response.
        if (response.status !== 101) dateBy(open.clock, response.headers);
        return response;
      },
    );
  }

  override followTimeline(question: Parameters<ClusterCalls["followTimeline"]>[0]) {
    this.#meter.countStep();
    return super.followTimeline(question);
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.#serviceIsReady();
    observeAlarm("cluster", info, Date.now());
    await this.#alarmRunner.run();
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    // Messages of a watch's client are ignored.
    if (isTunnels(this.ctx, socket)) this.#current.open?.tunnels.hear(socket, message);
  }

  override webSocketClose(socket: WebSocket): void {
    dropSocket(this.#current.open, socket);
    answerClose(socket);
  }

  override webSocketError(socket: WebSocket): void {
    dropSocket(this.#current.open, socket);
  }

  protected controllers(record: ContainerRecord, settings: ControllerSettings): readonly Controller[] {
    const signToken = tokenKey(this.#sql).sign;
    const { kubeletSpeed, controllers: chosen, ...otherSettings } = settings;
    const options = { ...this.#signers(), ...paceOf(kubeletSpeed), ...otherSettings, ...record };
    return allControllers({ ...options, chosen, signToken, report });
  }

  /** Answers the calls that wait for an injected fault, and signals it to the followers of the timeline. */
  #injected(): void {
    this.faults.injected();
    const { changeNews } = this.#current.open ?? {};
    changeNews?.changed();
    changeNews?.flush();
  }

  /** Sets the cluster to its state at a moment of its clock, as an etcd that was restored from a snapshot does. */
  async #restoreTo(atMs: number): Promise<void> {
    const open = this.#living();
    if (!open) return;
    try {
      const { revision } = momentOf(this.#sql, open.registry, new Date(atMs).toISOString());
      const restored = await this.states.restoreState({ revision });
      if (!restored.ok) throw new Error(restored.message);
    } catch (error) {
      report(error, "a restore of etcd");
    }
  }

  #signers() {
    const { SANDBAR_CA: caPem = "" } = this.env;
    return { caPem, authority: clusterAuthority(this.#sql, systemClock), frontProxy: this.#frontProxy };
  }

  #host(): Host {
    return {
      state: this.ctx,
      env: this.env,
      sql: this.#sql,
      frontProxy: this.#frontProxy,
      controllers: (record, settings) => this.controllers(record, settings),
      turns: this.#queue,
      mustBeOpen: (open) => this.#current.require(open),
      turn: (open, body) => this.#turns.run(open, body),
      injected: () => this.#injected(),
      answerAll: (calls) => this.#outboundCalls.callForWatches(calls),
      restore: (atMs) => this.ctx.waitUntil(this.#restoreTo(atMs)),
      servedAnew: (namespace, name) => this.#outboundCalls.serversChanged(namespace, name),
    };
  }
}
