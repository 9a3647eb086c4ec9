// The Durable Object: a shell around one cluster. It opens the parts, gives each request its turn, and keeps the one alarm.
import { systemClock } from "../../shared/base/clock.ts";
import { limits } from "../../shared/base/limits.ts";
import { roomBeside } from "../../shared/base/room.ts";
import type { SandboxHealth } from "../../shared/contract/hosted/admin.ts";
import type * as Rpc from "../../shared/contract/cluster-object.ts";
import type { ClusterLifeRpc, ClusterOrigin, SandboxStanding } from "../../shared/contract/cluster-life.ts";
import { endings } from "../../shared/contract/endings.ts";
import { harden } from "../../shared/contract/hardened.ts";
import type { NotImported, NotReady } from "../../shared/contract/sandbox.ts";
import type { AuditEvent } from "../../shared/k8s/audit.ts";
import type { OutboundCall } from "../../shared/k8s/outbound-call.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { isContinuation, tooManyRequests } from "../api/filters/max-in-flight.ts";
import { handle } from "../api/handler.ts";
import type { ClusterEnv } from "./env.ts";
import type { Controller } from "../runtime/controller.ts";
import { isRefusedAsFull } from "../store/full.ts";
import { createTables, hasTables, upgradeTables } from "../store/tables.ts";
import { clusterAuthority } from "./authority.ts";
import { nodesOfBase } from "./base/fresh-base.ts";
import { keepBase } from "./base/kept-base.ts";
import { baseSeed, certificatesOf, hasSystemPods, isOfBase, newBase } from "./base/new-base.ts";
import { addNodes, bootstrap } from "./bootstrap/bootstrap.ts";
import { imported } from "./manifests/import.ts";
import { ClusterCalls } from "./calls.ts";
import { dateBy } from "./time/clock/cluster-clock.ts";
import { ClusterFaults } from "./time/faults/cluster-faults.ts";
import { Clocks } from "./time/clock/clocks.ts";
import { Alarm, alarmRetryMs, retryMsAfter } from "./turns/alarm.ts";
import { type DrainHost, drainCarefully, drainInTurns } from "./turns/drains.ts";
import { FairShares } from "./turns/fair-shares.ts";
import { pausedIn, turnQueueOf } from "./turns/own-queue.ts";
import { isLater } from "./turns/pace.ts";
import { serviceReadiness } from "./turns/service-ready.ts";
import { allControllers, paceOf } from "./controllers.ts";
import { durableSql } from "./do-sql.ts";
import type { ContainerRecord } from "./runs/timeline.ts";
import { frontProxy } from "./front-proxy.ts";
import { Pasts } from "./time/past/pasts.ts";
import { settingsProblem } from "./settings/problem.ts";
import { Lessons } from "./lessons/lessons.ts";
import { applyManifests, someSteps } from "./manifests/manifests.ts";
import { refusalOfManifests } from "./manifests/refusal.ts";
import { keepOrigin, readOrigin } from "./settings/origin.ts";
import { healthOf } from "./figures/health.ts";
import { meterOf } from "./figures/metering.ts";
import { notReadyIn } from "./bootstrap/readiness.ts";
import { writeExpiry, writeSettings, writeStanding } from "./settings/settings.ts";
import { tokenKey } from "./token-key.ts";
import { addToken, adminToken, listTokens, removeToken, storeToken, renewCredentials } from "./tokens.ts";
import { Awaited } from "./outside/awaited.ts";
import { retryAvailability } from "./outside/retry.ts";
import { living, Opening, unusableAlarmMs } from "./opening.ts";
import { goneError, goneResponse, refusal, replacedError, suspendedResponse } from "./state/ended.ts";
import { type ControllerSettings, dueMsOf, type Host, type Open, openParts, report, takeStanding } from "./open.ts";
import { putState } from "./state/put.ts";
import { refusalOf, States } from "./state/states.ts";
import { isTunnels } from "./outside/tunnels.ts";
import { answerClose, dropSocket, endAllSockets, endSocketsOf } from "./watches/sockets.ts";

/** The objects of an isolate run on one thread: what each has of it is known to all of them. */
const shares = new FairShares(Date.now);

export class ClusterObject extends ClusterCalls implements Rpc.ClusterRpc, ClusterLifeRpc {
  readonly #room = roomBeside(this.env.OUTSIDE, Date.now);
  readonly #sql = durableSql(this.ctx.storage, () => this.#room.isShort);
  #open: Open | undefined;
  readonly #alarm = new Alarm(this.ctx.storage, this.ctx.id.toString());
  /** An alarm's run is on its way; between its drains requests are answered. */
  #draining = false;
  readonly #serviceIsReady = serviceReadiness(this.env.OUTSIDE);
  readonly #awaited = new Awaited();
  readonly #frontProxy = frontProxy(this.#sql, systemClock);
  readonly #turns = turnQueueOf(this.ctx, shares, () => this.#open);
  readonly #pause = () => pausedIn(this.#turns);
  readonly #meter = meterOf({ state: this.ctx, env: this.env, sql: this.#sql, open: () => this.#open });
  readonly #opening: Opening;
  readonly #living = () => living(this.#stored());
  protected readonly lessons = new Lessons<Open>({
    current: this.#living,
    turn: (open, body) => this.#turn(open, body, "at once"),
    pause: this.#pause,
  });
  readonly #own = {
    ...{ sql: this.#sql, current: this.#living, pause: this.#pause, turn: this.#turn.bind(this) },
    wait: (ms: number) => scheduler.wait(ms),
  };
  protected readonly states = new States<Open>({
    ...this.#own,
    certificates: () => certificatesOf(this.#signers()),
    replace: (open, file) => this.#replace(open, file),
  });
  protected readonly pasts = new Pasts<Open>(this.#own);
  protected readonly faults = new ClusterFaults<Open>(this.#own);
  protected readonly clocks = new Clocks<Open>({
    ...{ ...this.#own, turns: this.#turns },
    realMs: Date.now,
    isLater,
    drainCarefully: (open) => drainCarefully(open, this.#drainHost(open)),
    flush: (open) => this.#flush(open),
    settle: (open) => this.#turn(open, () => undefined),
    keepAlive: () => void this.#alarm.set(Date.now() + alarmRetryMs),
  });

  /** Creates nothing: a request to an expired or invented cluster must rebuild nothing. */
  constructor(ctx: DurableObjectState, env: ClusterEnv) {
    super(ctx, env);
    this.#opening = new Opening({ open: () => this.#openStored(), nowMs: Date.now, report });
  }

  #openStored(): void {
    if (!hasTables(this.#sql)) return;
    upgradeTables(this.#sql);
    const open = this.#build();
    this.#open = open;
    open.news.tellAll();
    void this.#alarm.keepAtOpening(this.ctx, () => dueMsOf(open));
  }

  /** Returns the cluster, if there is one. Throws if the object holds one that this version cannot open. */
  #stored(): Open | undefined {
    this.#opening.require();
    return this.#open;
  }

  async initialize(options: Rpc.InitializeOptions): Promise<Rpc.InitializeResult> {
    const problem = settingsProblem(options.settings, options.nodes);
    if (problem) return problem;
    this.#opening.require();
    try {
      const done = await this.#initialize(options);
      if (!(done instanceof ApiError)) return { ok: true, ...(done ? { notImported: done } : {}) };
      await this.destroy();
      return refusalOfManifests(done, options.import === undefined ? "manifests" : "import");
    } catch (error) {
      // Half a cluster is none.
      await this.destroy();
      if (options.state) return { ...refusalOf(error), field: "state" };
      throw error;
    }
  }

  /** Returns what is wrong with the manifests, or what could not be imported. */
  async #initialize(options: Rpc.InitializeOptions): Promise<ApiError | readonly NotImported[] | undefined> {
    const { settings, manifests, adminTokenHash } = options;
    createTables(this.#sql);
    writeSettings(this.#sql, settings);
    storeToken(this.#sql, adminToken(adminTokenHash));
    keepOrigin(this.#sql, options);
    const open = this.#begin(options);
    // Controllers make the accounts and root certificates that pods of the manifests need: all at once, else what is left is written down.
    open.runtime.drain(limits.drainPerCreation);
    let notImported: readonly NotImported[] | undefined;
    try {
      if (options.import !== undefined) notImported = await imported(open.registry, options.import, this.#pause);
      const steps = applyManifests(open.registry, manifests);
      // Pods of the manifests need what controllers make.
      while (!this.#turn(open, () => someSteps(steps), "at once")) await this.#pause();
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
    this.#afterTurn(open);
    return notImported;
  }

  /** With a state, with the base of a fresh cluster, or with all of that written. */
  #begin(options: Rpc.InitializeOptions): Open {
    const { state, nodes, machines } = options;
    const beginning = { nowMs: systemClock.nowMs(), systemPods: hasSystemPods(options) };
    const hasBase = !state && isOfBase(options);
    if (state) this.#put(state);
    else if (hasBase)
      keepBase(this.#sql, newBase({ seed: baseSeed(options.settings.seed), ...beginning, ...this.#signers() }));
    const open = this.#build(true);
    this.#open = open;
    if (hasBase) addNodes(open.system, { from: nodesOfBase + 1, to: nodes, ...beginning });
    else if (!state) {
      const isApiServerAlone = options.settings.controllers === "off";
      bootstrap(open.system, { nodes, machines, isApiServerAlone, ...beginning });
    }
    return open;
  }

  protected lookForRoom(): Promise<void> {
    return this.#room.look();
  }

  /** Its sockets stay, but those of watches: they come again, and are told that what they have is gone. */
  #replace(open: Open, file: Uint8Array): number {
    open.watches.endAll();
    const next = this.#sql.transaction(() => {
      this.#put(file, open.registry.store.revision);
      return this.#build(true);
    });
    open.retire();
    this.#open = next;
    next.news.tellAll();
    const { revision } = next.registry.store;
    this.#turn(next, () => undefined);
    return revision;
  }

  #put(file: Uint8Array, revision?: number): void {
    const certificates = certificatesOf(this.#signers());
    const { sign } = tokenKey(this.#sql);
    const own = revision === undefined ? {} : { revision };
    putState({ sql: this.#sql, clock: systemClock, file, certificates, sign, ...own });
  }

  async setExpiry(expiresAtMs: number): Promise<boolean> {
    const open = this.#living();
    if (!open) return false;
    open.expiresAtMs = writeExpiry(this.#sql, expiresAtMs);
    this.#afterTurn(open);
    return true;
  }

  async notReady(): Promise<NotReady[] | undefined> {
    const open = this.#stored();
    return open && notReadyIn(open.system);
  }

  async origin(): Promise<ClusterOrigin | undefined> {
    return this.#stored() && readOrigin(this.#sql);
  }

  async setStanding(standing: SandboxStanding): Promise<void> {
    const open = this.#stored();
    if (!open) return;
    this.#room.despite(() => writeStanding(this.#sql, standing));
    takeStanding(open, standing);
    if (standing.suspended !== "") endAllSockets(this.ctx, endings.suspended);
    this.#afterTurn(open);
  }

  async health(): Promise<SandboxHealth | undefined> {
    const open = this.#stored();
    return open && healthOf(open, this.ctx.storage.sql.databaseSize);
  }

  async addToken(token: Rpc.NewToken): Promise<Rpc.AddedToken> {
    if (!this.#stored()) return "gone";
    return addToken(this.#sql, token, Date.now()) ? "added" : "full";
  }

  async listTokens(): Promise<Rpc.StoredToken[]> {
    return this.#stored() ? listTokens(this.#sql, Date.now()) : [];
  }

  async removeToken(id: string): Promise<boolean> {
    if (!this.#stored() || !this.#room.despite(() => removeToken(this.#sql, id))) return false;
    endSocketsOf(this.ctx, id, endings.revoked);
    return true;
  }

  async renewTokens(renewed: Rpc.RenewedTokens): Promise<boolean> {
    const renew = () => renewCredentials(this.#sql, renewed, this.#open?.clock.nowMs() ?? Date.now());
    for (const id of this.#stored() ? this.#room.despite(renew) : []) endSocketsOf(this.ctx, id, endings.revoked);
    return this.#open !== undefined;
  }

  async listAuditEvents(): Promise<AuditEvent[]> {
    return [...(this.#stored()?.auditLog.list() ?? [])];
  }

  async destroy(): Promise<void> {
    endAllSockets(this.ctx, endings.gone);
    this.ctx.waitUntil(this.#meter.flush());
    this.#open?.watches.forget();
    this.#open = undefined;
    this.#opening.forget();
    this.#alarm.forget();
    // With the alarm, at once: were the alarm deleted before, what is cut off in between would stay for ever.
    await this.ctx.storage.deleteAll();
  }

  override async fetch(request: Request): Promise<Response> {
    // A step of what has begun already is never refused.
    const admitted = isContinuation(request) ? this.#turns.next() : this.#turns.admit(request);
    if ((admitted instanceof Promise ? await admitted : admitted) === false) return tooManyRequests();
    if (this.env.OUTSIDE && request.method !== "GET") await this.#room.look();
    const failure = this.#opening.failure();
    if (failure) return refusal(failure);
    const open = this.#open;
    if (!open || open.expiresAtMs <= Date.now()) return goneResponse();
    if (open.suspended !== "") return suspendedResponse(open.suspended);
    const response = await this.#turns.measure(() => handle(open.service, request));
    this.#meter.answered(response);
    // Here, where they can be changed: the edge would have to make another response for it.
    if (response.status === 101) return response;
    harden(response.headers);
    dateBy(open.clock, response.headers);
    return response;
  }

  /** Throws only if not even the alarm can be set again: the platform drops an alarm that throws six times. */
  override async alarm(): Promise<void> {
    await this.#serviceIsReady();
    this.#alarm.forget();
    const isUsable = this.#opening.failure() === undefined;
    const open = this.#open;
    try {
      // It stays as it is until a version comes that can open it.
      if (!isUsable) return await this.#alarm.set(Date.now() + unusableAlarmMs);
      if (!open) return;
      if (open.expiresAtMs <= Date.now()) return await this.destroy();
      if (open.suspended !== "") return this.#afterTurn(open);
      open.tunnels.endExpired(Date.now());
      if (this.env.OUTSIDE) await this.#room.look();
      await this.#drain(open);
      // It may have been set to another state meanwhile.
      if (this.#open) this.#afterTurn(this.#open);
      this.#meter.alarmed();
    } catch (error) {
      if (!isRefusedAsFull(error)) report(error, "alarm");
      await this.#alarm.set(Date.now() + retryMsAfter(error));
    }
  }

  async #drain(open: Open): Promise<void> {
    // A run of the clock does what is due, and sets the alarm at its end.
    if (open.clock.isDriven) return void this.#alarm.set(Date.now() + alarmRetryMs);
    const host = this.#drainHost(open);
    this.#draining = true;
    try {
      if (open.runtime.isCareful()) {
        // Set first: what is done carefully may kill the process.
        void this.#alarm.set(Date.now() + alarmRetryMs);
        await drainCarefully(open, host);
      }
      await drainInTurns(open, host);
    } finally {
      this.#draining = false;
    }
  }

  #drainHost(open: Open): DrainHost {
    const [isCurrent, askOutside] = [() => this.#open === open, () => this.#askOutside(open)];
    return { turns: this.#turns, isCurrent, onDisk: () => this.ctx.storage.sync(), askOutside };
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    // A watch says nothing; what a client sends is ignored.
    if (isTunnels(this.ctx, socket)) this.#open?.tunnels.hear(socket, message);
  }

  override webSocketClose(socket: WebSocket): void {
    dropSocket(this.#open, socket);
    answerClose(socket);
  }

  override webSocketError(socket: WebSocket): void {
    dropSocket(this.#open, socket);
  }

  protected controllers(record: ContainerRecord, settings: ControllerSettings): readonly Controller[] {
    const signToken = tokenKey(this.#sql).sign;
    const { kubeletSpeed, controllers: chosen, ...given } = settings;
    const options = { ...this.#signers(), ...paceOf(kubeletSpeed), ...given, ...record };
    return allControllers({ ...options, chosen, signToken, report });
  }

  #signers() {
    const { SANDBAR_CA: caPem = "" } = this.env;
    return { caPem, authority: clusterAuthority(this.#sql, systemClock), frontProxy: this.#frontProxy };
  }

  #build(isMadeHere = false): Open {
    const host: Host = {
      state: this.ctx,
      env: this.env,
      sql: this.#sql,
      frontProxy: this.#frontProxy,
      controllers: (record, settings) => this.controllers(record, settings),
      turns: this.#turns,
      mustBeOpen: (open) => this.#mustBeOpen(open),
      turn: (open, body) => this.#turn(open, body),
      injected: () => this.faults.injected(),
      answerAll: (calls) => this.#answerAll(calls),
      servedAnew: (namespace, name) => this.#servedAnew(namespace, name),
    };
    return openParts(host, isMadeHere);
  }

  #mustBeOpen(open: Open): void {
    if (this.#open !== open) throw this.#open ? replacedError() : goneError();
  }

  #turn<T>(open: Open, body: () => T, controllersAct: "later" | "at once" = "later"): T {
    return this.#turns.measure(() => this.#measuredTurn(open, body, controllersAct));
  }

  #measuredTurn<T>(open: Open, body: () => T, controllersAct: "later" | "at once"): T {
    this.#mustBeOpen(open);
    const { store } = open.registry;
    const before = store.revision;
    try {
      const result = store.meter.within(body);
      const isRead = store.revision === before;
      const isLeft = isRead || controllersAct === "at once" || this.#answerFirst(open, before);
      // Where much is to be done, it is the alarm's, and requests are answered in between.
      if (isLeft && !this.#draining && !open.burst.isOn) this.#drainBriefly(open);
      return result;
    } finally {
      this.#afterTurn(open);
    }
  }

  /** A write that makes nothing due, as most do, begins no burst; then nothing is left for controllers: false. */
  #answerFirst(open: Open, before: number): boolean {
    const { burst, runtime } = open;
    if (!burst.isWanted) return true;
    const isFirst = !burst.isOn;
    if (isFirst && !this.#draining && !this.#despiteBugs(() => runtime.readAhead(), true)) return false;
    burst.wrote(Date.now(), before);
    if (isFirst) this.ctx.waitUntil(this.#actAfter(open));
    return true;
  }

  async #actAfter(open: Open): Promise<void> {
    const { burst } = open;
    while (burst.isOn) {
      await scheduler.wait(Math.max(0, burst.leftMs(Date.now())));
      if (burst.leftMs(Date.now()) > 0) continue;
      await this.#turns.next();
      burst.show(Date.now());
      if (this.#open !== open) return;
      // An alarm's run sees it from here on.
      if (this.#draining) continue;
      const done = this.#turns.measure(() => this.#drainBriefly(open));
      this.#despiteBugs(() => this.#afterTurn(open), undefined);
      // While others go on writing, the alarm does what was too much at once.
      if (burst.isOn && done >= limits.drainPerRequest) void this.#alarm.set(Date.now());
    }
  }

  #drainBriefly({ runtime, burst }: Open): number {
    return this.#despiteBugs(() => runtime.drain(limits.drainPerRequest, burst.before, isLater()), 0);
  }

  /** What was written stays written, whatever the drain does: its failure is not the request's. The alarm goes on with it. */
  #despiteBugs<T>(body: () => T, otherwise: T): T {
    try {
      return body();
    } catch (error) {
      // A request that could not be written down is not lost: the queue is in memory too, and the alarm goes on with it.
      if (!isRefusedAsFull(error)) report(error, "drain");
      return otherwise;
    }
  }

  /** What a drain left unanswered is asked at once; each answer goes on in a turn of its own. */
  #askOutside(open: Open): void {
    // What is one too many is asked when one of these is answered.
    for (const call of open.runtime.takeCalls(open.load.calls.free)) {
      const done = open.load.calls.take();
      void open.outside.ask(call).then((answer) => {
        done();
        if (this.#open !== open) return;
        open.runtime.answer(call, answer);
        this.#turn(open, () => undefined);
      });
    }
  }

  /** For watches: what they show is known once all are answered. */
  #answerAll(calls: readonly OutboundCall[]): void {
    const open = this.#open;
    if (!open) return;
    void this.#awaited.answerAll(open, calls)?.then(() => {
      if (this.#open === open) this.#turn(open, () => undefined);
    });
  }

  /** A tunnel has come or gone: who waits for a server behind it looks again. */
  #servedAnew(namespace: string, name: string): void {
    const open = this.#open;
    // It may end with its token.
    if (open && !retryAvailability(open, namespace, name)) this.#afterTurn(open);
    else if (open) this.#turn(open, () => undefined);
  }

  #flush(open: Open): void {
    open.watches.flush();
    this.#askOutside(open);
  }

  #afterTurn(open: Open): void {
    this.#flush(open);
    // It is billed: one that runs sets the next at its end, and one that is due is on its way.
    if (this.#draining || open.clock.isDriven || this.#alarm.dueMs <= Date.now()) return;
    const [soonMs, alarmMs] = [Date.now() + limits.burstAlarmMs, this.#alarm.dueMs];
    const dueMs = open.burst.isOn ? soonMs : dueMsOf(open);
    // One that comes soon stands behind the next burst too.
    if (alarmMs <= dueMs && alarmMs <= soonMs) return;
    if (dueMs !== alarmMs) void this.#alarm.set(dueMs);
  }
}
