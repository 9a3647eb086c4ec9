// The faults of a cluster: decides which requests, watches and controllers they hit, from the trigger to the end, and records each injection.
import { faultLimits } from "../../../shared/base/fault-limits.ts";
import { stableFraction } from "../../../shared/base/stable.ts";
import type { Fault, FaultList, Injection, ObjectChange, PutFaults } from "../../../shared/contract/cluster/faults.ts";
import { watchCut, watchExpired } from "../../../shared/contract/cluster-object.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { FaultClient, Faults, FaultTarget, RequestFault } from "../../api/faults.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Change } from "../../store/change.ts";
import type { Sql } from "../../store/sql.ts";
import { type Condition, conditionOf, predicateOf } from "../time/clock/condition.ts";
import type { FaultyWatches } from "../watches/watch-groups.ts";
import {
  type ActiveFault,
  deleteRecord,
  type FaultRecord,
  newRecord,
  readInjections,
  readRecord,
  writeInjection,
  writeRecord,
} from "./fault-record.ts";
import { atField, refusedRequest } from "./refusal.ts";
import { countsAsWrite, isChange, selectsClient, selectsObject, selectsRequest, selectsWatch } from "./selection.ts";

export interface EngineHost {
  readonly sql: Sql;
  registry(): Registry;
  /** Has the controller of the faults run: see `timer.ts`. */
  wake(): void;
  /** Called after each injection. */
  injected(): void;
}

type About = Partial<Pick<Injection, "user" | "verb" | "resource" | "namespace" | "name">>;

const noFault: RequestFault = { latencyMs: 0, isCut: false, isAnswerLost: false };

export class FaultEngine implements Faults {
  readonly #host: EngineHost;
  #record: FaultRecord | undefined;
  readonly #conditions = new Map<ActiveFault, { trigger?: Condition | undefined; end?: Condition | undefined }>();
  readonly #predicates = new WeakMap<ObjectChange, (stored: KubeObject | undefined) => boolean>();
  /** Actions on watches that wait for the next flush. */
  #onFlush: ((watches: FaultyWatches) => void)[] = [];
  /** Deleted faults whose effect is to be taken back. */
  #cleared: ActiveFault[] = [];
  #isListening = false;
  #isUnsaved = false;

  constructor(host: EngineHost) {
    this.#host = host;
    this.#record = readRecord(host.sql);
  }

  get isIdle(): boolean {
    return this.#record === undefined;
  }

  /** The faults that are active. */
  get active(): readonly ActiveFault[] {
    return this.#record?.faults.filter(({ progress }) => progress.state === "active") ?? [];
  }

  /** Begins again after the cluster was opened. Throws `ConditionProblem` if a condition does not compile. */
  open(): void {
    if (!this.#record) return;
    this.#compile(this.#record);
    this.#listen();
  }

  /** Replaces all faults. Throws `ConditionProblem`. */
  set(faults: PutFaults): void {
    const record = newRecord(faults);
    this.#compile(record);
    this.clear();
    this.#compile(record);
    this.#record = record;
    this.#listen();
    for (const one of record.faults) if (one.fault.trigger === undefined) this.#activate(one);
    this.#onFlush.push((watches) => watches.endAll());
    this.#save();
    this.#host.wake();
  }

  /** Ends the fault of a name. Returns false if there is none. */
  end(name: string): boolean {
    const one = this.#record?.faults.find((candidate) => candidate.name === name);
    if (!one) return false;
    this.#end(one);
    this.#save();
    this.#host.wake();
    return true;
  }

  /** Ends and deletes all faults. */
  clear(): void {
    if (!this.#record) return;
    for (const one of this.active) this.#end(one);
    // Effects on the cluster itself are taken back by its controller.
    this.#cleared.push(...this.#record.faults.filter(({ progress }) => progress.isDue));
    this.#record = undefined;
    this.#conditions.clear();
    deleteRecord(this.#host.sql);
    this.#host.wake();
  }

  list(since: number): FaultList {
    const { seed = 0, faults = [] } = this.#record ?? {};
    return {
      seed,
      faults: faults.map(({ name, fault, progress: { state, matched, writes, injected } }) => ({
        ...{ name, action: Object.keys(fault.action)[0] ?? "", state, matched, writes, injected },
      })),
      injections: this.injections(since).slice(0, faultLimits.injectionsShown),
    };
  }

  /** Returns the injections after a number, the oldest first. */
  injections(since = 0): readonly Injection[] {
    return this.#record && this.#record.injections > since ? readInjections(this.#host.sql, since) : [];
  }

  begin(target: FaultTarget): RequestFault {
    let result = noFault;
    for (const one of this.active) {
      if (!selectsRequest(one.fault.selector, target) || !this.#happens(one)) continue;
      const next = withFault(result, one, target);
      if (next === undefined) continue;
      result = next.fault;
      this.#inject(one, next.effect, target);
    }
    this.#save();
    const isRead = target.verb === "get" || target.verb === "list";
    return isRead ? { ...result, staleRevision: this.staleRevision(target) } : result;
  }

  wrote(target: FaultTarget): void {
    for (const one of this.#record?.faults ?? []) {
      const { trigger, selector } = one.fault;
      if (one.progress.state !== "waiting" || !trigger || !("write" in trigger)) continue;
      if (!countsAsWrite(selector, target)) continue;
      one.progress.writes += 1;
      if (one.progress.writes >= trigger.write) this.#activate(one, target);
    }
    this.#save();
  }

  isDisconnected(client: FaultClient): boolean {
    return this.active.some(({ fault }) => "disconnect" in fault.action && selectsClient(fault.selector, client));
  }

  staleRevision(target: FaultTarget): number | undefined {
    const one = this.active.find(
      ({ fault }) => "stale" in fault.action && selectsWatch(fault.selector, target, target.resource),
    );
    return one?.progress.staleRevision;
  }

  hides(client: FaultClient, change: Change): boolean {
    for (const one of this.#record?.faults ?? []) {
      if (!hidesWhile(one, client, change)) continue;
      const { fault, progress } = one;
      if (progress.state === "active" && "watch" in fault.action && fault.action.watch === "skip") {
        this.#inject(one, `${change.type} at revision ${change.revision} is skipped`, aboutChange(client, change));
        this.#save();
      }
      return true;
    }
    return false;
  }

  delayMs(client: FaultClient, resource: string): number {
    for (const { fault } of this.active)
      if ("watchDelay" in fault.action && selectsWatch(fault.selector, client, resource))
        return fault.action.watchDelay;
    return 0;
  }

  /** Applies to the watches what was decided since the last call. */
  flush(watches: FaultyWatches): void {
    if (this.#onFlush.length === 0) return;
    for (const act of this.#onFlush.splice(0)) act(watches);
  }

  /** Begins and ends what is due at a time. Returns the time of the next; undefined if no time is waited for. */
  tick(nowMs: number): number | undefined {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const one of this.#record?.faults ?? []) {
      const { trigger, end } = one.fault;
      if (one.progress.state === "waiting" && trigger && "at" in trigger) {
        if (trigger.at <= nowMs) this.#activate(one);
        else nextMs = Math.min(nextMs, trigger.at);
      }
      if (one.progress.state !== "active") continue;
      const afterMs = end?.after === undefined ? Number.POSITIVE_INFINITY : one.progress.sinceMs + end.after;
      const endMs = Math.min(end?.at ?? Number.POSITIVE_INFINITY, afterMs);
      if (endMs <= nowMs) this.#end(one);
      else nextMs = Math.min(nextMs, endMs);
    }
    this.#save();
    return nextMs === Number.POSITIVE_INFINITY ? undefined : nextMs;
  }

  /** Takes the faults whose effect on the cluster itself is to be applied or taken back. */
  takeDue(): readonly ActiveFault[] {
    const due = this.#record?.faults.filter(({ progress }) => progress.isDue) ?? [];
    for (const { progress } of due) progress.isDue = false;
    if (due.length > 0) this.#isUnsaved = true;
    const taken = [...this.#cleared.splice(0), ...due];
    this.#save();
    return taken;
  }

  /** Notes the effect of a fault on the cluster itself. */
  noteEffect(one: ActiveFault, effect: string, about: About = {}): void {
    this.#inject(one, effect, about);
    this.#save();
  }

  /** Reports whether a change counts for a trigger, an end or a lagging server. */
  #isChange(wanted: ObjectChange, change: Change): boolean {
    if (!isChange(wanted, change)) return false;
    const holds = this.#predicates.get(wanted);
    return holds === undefined || (holds(change.object) && !holds(change.previous));
  }

  #compile({ faults }: FaultRecord): void {
    const registry = this.#host.registry();
    for (const [at, one] of faults.entries()) {
      const { trigger, end } = one.fault;
      const compiled = (place: string, when: Parameters<typeof conditionOf>[1] | undefined) =>
        when && atField(`faults.${at}.${place}.when.expression`, () => conditionOf(registry, when));
      const changes = {
        "trigger.change": trigger && "change" in trigger ? trigger.change : undefined,
        "end.change": end?.change,
        "action.stale":
          "stale" in one.fault.action && one.fault.action.stale !== true ? one.fault.action.stale : undefined,
      };
      for (const [place, wanted] of Object.entries(changes)) {
        const { resource = "", expression } = wanted ?? {};
        if (!wanted || expression === undefined) continue;
        const field = `faults.${at}.${place}.expression`;
        this.#predicates.set(
          wanted,
          atField(field, () => predicateOf(registry, resource, expression)),
        );
      }
      this.#conditions.set(one, {
        trigger: compiled("trigger", trigger && "when" in trigger ? trigger.when : undefined),
        end: compiled("end", end?.when),
      });
    }
  }

  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    this.#host.registry().store.onChange((change) => {
      if (this.#record) this.#changed(change, this.#record);
    });
  }

  /** Called within a commit, so it writes no object. */
  #changed(change: Change, { faults }: FaultRecord): void {
    let isChanged = false;
    for (const one of faults) {
      const { fault, progress } = one;
      const { trigger, action } = fault;
      if (progress.state === "ended") continue;
      if (
        progress.state === "waiting" &&
        "stale" in action &&
        action.stale !== true &&
        this.#isChange(action.stale, change)
      ) {
        progress.staleChanges += 1;
        if (progress.staleChanges === action.stale.occurrence)
          progress.staleRevision = change.revision - (action.stale.before ? 1 : 0);
        isChanged = true;
      }
      if (progress.state === "waiting" && trigger && "change" in trigger && this.#isChange(trigger.change, change)) {
        progress.changes += 1;
        isChanged = true;
        if (progress.changes >= trigger.change.occurrence) this.#activate(one, {}, change.revision);
      } else if (progress.state === "active" && fault.end?.change && this.#isChange(fault.end.change, change)) {
        progress.endChanges += 1;
        isChanged = true;
        if (progress.endChanges >= fault.end.change.occurrence) this.#end(one, change.revision);
      }
      const conditions = this.#conditions.get(one);
      if (progress.state === "waiting" && conditions?.trigger?.holds()) this.#activate(one, {}, change.revision);
      else if (progress.state === "active" && conditions?.end?.holds()) this.#end(one, change.revision);
    }
    if (isChanged) this.#isUnsaved = true;
    this.#save();
  }

  #save(): void {
    if (!this.#isUnsaved || !this.#record) return;
    writeRecord(this.#host.sql, this.#record);
    this.#isUnsaved = false;
  }

  /** Counts a request that matches, and returns whether the fault happens to it. */
  #happens(one: ActiveFault): boolean {
    const { progress, fault } = one;
    const { occurrence, share } = fault.selector;
    progress.matched += 1;
    this.#isUnsaved = true;
    if (occurrence !== undefined && progress.matched !== occurrence) return false;
    return share === undefined || stableFraction(`${this.#record?.seed}/${one.name}/${progress.matched}`) < share;
  }

  /** `revision`: of the change that triggers the fault, which is the first that a fault of watches hides. */
  #activate(one: ActiveFault, about: About = {}, revision = this.#host.registry().store.revision + 1): void {
    const { progress, fault } = one;
    const { action, selector } = fault;
    Object.assign(progress, { state: "active", sinceRevision: revision, sinceMs: this.#host.registry().clock.nowMs() });
    this.#isUnsaved = true;
    if ("stale" in action) {
      if (progress.staleRevision === 0) progress.staleRevision = this.#host.registry().store.revision;
      this.#inject(one, `reads from a server that lags at revision ${progress.staleRevision}`, about);
    }
    if ("disconnect" in action) {
      this.#inject(one, "all connections are cut, and refused until the fault ends", about);
      const isSelected = (client: FaultClient) => selectsClient(selector, client);
      this.#onFlush.push((watches) => watches.endClients(isSelected, watchCut, "the connection is cut"));
    }
    if ("watch" in action && (action.watch === "end" || action.watch === "expire")) {
      const isExpired = action.watch === "expire";
      this.#inject(one, isExpired ? "watches end with Expired" : "watches end", about);
      const isSelected = (client: FaultClient, resource: string) => selectsWatch(selector, client, resource);
      const code = isExpired ? watchExpired : 1000;
      this.#onFlush.push((watches) => watches.endClients(isSelected, code, "an injected fault"));
    }
    if ("watch" in action && action.watch === "freeze") this.#inject(one, "events are held back", about);
    if ("watchDelay" in action) this.#inject(one, `events are delayed by ${action.watchDelay} ms`, about);
    if (isOfCluster(fault)) progress.isDue = true;
    this.#host.wake();
  }

  #end(one: ActiveFault, revision = this.#host.registry().store.revision): void {
    const { progress, fault } = one;
    if (progress.state === "ended") return;
    const wasActive = progress.state === "active";
    progress.state = "ended";
    progress.untilRevision = revision;
    this.#isUnsaved = true;
    this.#host.wake();
    if (!wasActive) return;
    const isHeld = ("watch" in fault.action && fault.action.watch === "freeze") || "stale" in fault.action;
    if (isHeld) this.#onFlush.push((watches) => this.#release(one, watches));
    if (isOfCluster(fault)) progress.isDue = true;
  }

  /** Sends the newest change of each object that was held back, as a list after a reconnect would show it. */
  #release(one: ActiveFault, watches: FaultyWatches): void {
    const { fault, progress } = one;
    const { store } = this.#host.registry();
    const newest = new Map<string, Change>();
    const { resource } = fault.selector;
    for (let from = heldFrom(one); from < progress.untilRevision; ) {
      if (from < store.compacted) {
        const isSelected = (client: FaultClient, watched: string) => selectsWatch(fault.selector, client, watched);
        return watches.endClients(isSelected, watchExpired, "the changes that were held back are gone");
      }
      const batch = store.changesSince(from, releaseBatch, resource);
      for (const change of batch) {
        if (change.revision > progress.untilRevision || !selectsObject(fault.selector, change)) continue;
        newest.delete(keyOf(change));
        newest.set(keyOf(change), change);
      }
      from = batch.at(-1)?.revision ?? progress.untilRevision;
    }
    const changes = [...newest.values()];
    watches.release(changes, (client, change) => selectsWatch(fault.selector, client, change.resource));
  }

  #inject(one: ActiveFault, effect: string, about: About): void {
    const { progress, fault } = one;
    const record = this.#record;
    if (!record) return;
    const { store, clock } = this.#host.registry();
    progress.injected += 1;
    record.injections += 1;
    this.#isUnsaved = true;
    const { user, verb, resource, namespace, name } = about;
    writeInjection(this.#host.sql, {
      number: record.injections,
      fault: one.name,
      at: new Date(clock.nowMs()).toISOString(),
      revision: store.revision,
      effect,
      ...(user === undefined ? {} : { user }),
      ...(verb === undefined ? {} : { verb }),
      ...(resource === undefined ? {} : { resource }),
      ...(namespace ? { namespace } : {}),
      ...(name ? { name } : {}),
    });
    if (fault.end?.times !== undefined && progress.injected >= fault.end.times) this.#end(one);
    this.#host.injected();
  }
}

/** The changes that are read at once when they are released. */
const releaseBatch = 200;

/** Returns the revision after which changes were held back. */
function heldFrom({ fault, progress }: Pick<ActiveFault, "fault" | "progress">): number {
  return "stale" in fault.action ? progress.staleRevision : progress.sinceRevision - 1;
}

/** Reports whether a fault hides a change from a watch, while it is active or from a watch that reads the changes later. */
function hidesWhile({ fault, progress }: ActiveFault, client: FaultClient, change: Change): boolean {
  const { action, selector } = fault;
  const isSkip = "watch" in action && action.watch === "skip";
  const isHold = ("watch" in action && action.watch === "freeze") || "stale" in action;
  if (!isSkip && !isHold) return false;
  if (progress.state === "waiting" || (progress.state === "ended" && !isSkip)) return false;
  if (progress.state === "ended" && change.revision > progress.untilRevision) return false;
  return (
    change.revision > heldFrom({ fault, progress }) &&
    selectsWatch(selector, client, change.resource) &&
    selectsObject(selector, change)
  );
}

/** Reports whether the action affects the cluster itself, which the controller of the faults applies. */
function isOfCluster({ action }: Fault): boolean {
  return ["compact", "stop", "node", "container", "clock"].some((name) => name in action);
}

/** Adds a fault to those of a request. Returns undefined if its action is not one of requests. */
function withFault(
  before: RequestFault,
  { fault: { action } }: ActiveFault,
  target: FaultTarget,
): { readonly fault: RequestFault; readonly effect: string } | undefined {
  if ("status" in action)
    return { fault: { ...before, refusal: refusedRequest(action, target) }, effect: `answered ${action.status}` };
  if ("latency" in action)
    return {
      fault: { ...before, latencyMs: Math.max(before.latencyMs, action.latency) },
      effect: `delayed by ${action.latency} ms`,
    };
  if ("lostAnswer" in action) return { fault: { ...before, isAnswerLost: true }, effect: "the answer is lost" };
  if ("cut" in action) return { fault: { ...before, isCut: true }, effect: "the connection is cut" };
  if ("record" in action) return { fault: before, effect: "recorded" };
  return undefined;
}

function aboutChange({ user }: FaultClient, { resource, namespace, name }: Change): About {
  return { user, verb: "watch", resource, namespace, name };
}

function keyOf({ resource, namespace, name }: Change): string {
  return `${resource}/${namespace}/${name}`;
}
