// The faults of a cluster: decides which requests, watches and controllers they hit, from the trigger to the end, and records each injection.
import { faultLimits } from "../../../../shared/contract/cluster/fault-limits.ts";
import { stableFraction } from "../../../../shared/base/stable.ts";
import type {
  Fault,
  FaultList,
  Injection,
  ObjectChange,
  PutFaults,
} from "../../../../shared/contract/cluster/faults.ts";
import { watchCut, watchExpired } from "../../../../shared/contract/cluster-object.ts";
import type { KubeObject } from "../../../../shared/k8s/meta.ts";
import type { FaultClient, Faults, FaultTarget, RequestFault } from "../../../api/faults.ts";
import type { Registry } from "../../../registry/registry.ts";
import type { Change } from "../../../store/change.ts";
import type { Sql } from "../../../store/sql.ts";
import { type Condition, conditionOf, predicateOf } from "../clock/condition.ts";
import type { FaultyWatches } from "../../watches/watch-groups.ts";
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
    for (const entry of record.faults) if (entry.fault.trigger === undefined) this.#activate(entry);
    this.#onFlush.push((watches) => watches.endAll());
    this.#save();
    this.#host.wake();
  }

  /** Ends the fault of a name. Returns false if there is none. */
  end(name: string): boolean {
    const entry = this.#record?.faults.find((candidate) => candidate.name === name);
    if (!entry) return false;
    this.#end(entry);
    this.#save();
    this.#host.wake();
    return true;
  }

  /** Ends and deletes all faults. */
  clear(): void {
    if (!this.#record) return;
    for (const entry of this.active) this.#end(entry);
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
    for (const entry of this.active) {
      if (!selectsRequest(entry.fault.selector, target) || !this.#happens(entry)) continue;
      const next = withFault(result, entry, target);
      if (next === undefined) continue;
      result = next.fault;
      this.#inject(entry, next.effect, target);
    }
    this.#save();
    const isRead = target.verb === "get" || target.verb === "list";
    return isRead ? { ...result, staleRevision: this.staleRevision(target) } : result;
  }

  wrote(target: FaultTarget): void {
    for (const entry of this.#record?.faults ?? []) {
      const { trigger, selector } = entry.fault;
      if (entry.progress.state !== "waiting" || !trigger || !("write" in trigger)) continue;
      if (!countsAsWrite(selector, target)) continue;
      entry.progress.writes += 1;
      if (entry.progress.writes >= trigger.write) this.#activate(entry, target);
    }
    this.#save();
  }

  isDisconnected(client: FaultClient): boolean {
    return this.active.some(({ fault }) => "disconnect" in fault.action && selectsClient(fault.selector, client));
  }

  staleRevision(target: FaultTarget): number | undefined {
    const entry = this.active.find(
      ({ fault }) => "stale" in fault.action && selectsWatch(fault.selector, target, target.resource),
    );
    return entry?.progress.staleRevision;
  }

  hides(client: FaultClient, change: Change): boolean {
    for (const entry of this.#record?.faults ?? []) {
      if (!hidesWhile(entry, client, change)) continue;
      const { fault, progress } = entry;
      if (progress.state === "active" && "watch" in fault.action && fault.action.watch === "skip") {
        this.#inject(entry, `${change.type} at revision ${change.revision} is skipped`, aboutChange(client, change));
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
    for (const entry of this.#record?.faults ?? []) {
      const { trigger, end } = entry.fault;
      if (entry.progress.state === "waiting" && trigger && "at" in trigger) {
        if (trigger.at <= nowMs) this.#activate(entry);
        else nextMs = Math.min(nextMs, trigger.at);
      }
      if (entry.progress.state !== "active") continue;
      const afterMs = end?.after === undefined ? Number.POSITIVE_INFINITY : entry.progress.sinceMs + end.after;
      const endMs = Math.min(end?.at ?? Number.POSITIVE_INFINITY, afterMs);
      if (endMs <= nowMs) this.#end(entry);
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
  noteEffect(entry: ActiveFault, effect: string, about: About = {}): void {
    this.#inject(entry, effect, about);
    this.#save();
  }

  /** Reports whether a change counts for a trigger, an end or a lagging server. */
  #isChange(objectChange: ObjectChange, change: Change): boolean {
    if (!isChange(objectChange, change)) return false;
    const holds = this.#predicates.get(objectChange);
    return holds === undefined || (holds(change.object) && !holds(change.previous));
  }

  #compile({ faults }: FaultRecord): void {
    const registry = this.#host.registry();
    for (const [at, entry] of faults.entries()) {
      const { trigger, end } = entry.fault;
      const compiled = (place: string, when: Parameters<typeof conditionOf>[1] | undefined) =>
        when && atField(`faults.${at}.${place}.when.expression`, () => conditionOf(registry, when));
      const changes = {
        "trigger.change": trigger && "change" in trigger ? trigger.change : undefined,
        "end.change": end?.change,
        "action.stale":
          "stale" in entry.fault.action && entry.fault.action.stale !== true ? entry.fault.action.stale : undefined,
      };
      for (const [place, objectChange] of Object.entries(changes)) {
        const { resource = "", expression } = objectChange ?? {};
        if (!objectChange || expression === undefined) continue;
        const field = `faults.${at}.${place}.expression`;
        this.#predicates.set(
          objectChange,
          atField(field, () => predicateOf(registry, resource, expression)),
        );
      }
      this.#conditions.set(entry, {
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
    for (const entry of faults) {
      const { fault, progress } = entry;
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
        if (progress.changes >= trigger.change.occurrence) this.#activate(entry, {}, change.revision);
      } else if (progress.state === "active" && fault.end?.change && this.#isChange(fault.end.change, change)) {
        progress.endChanges += 1;
        isChanged = true;
        if (progress.endChanges >= fault.end.change.occurrence) this.#end(entry, change.revision);
      }
      const conditions = this.#conditions.get(entry);
      if (progress.state === "waiting" && conditions?.trigger?.holds()) this.#activate(entry, {}, change.revision);
      else if (progress.state === "active" && conditions?.end?.holds()) this.#end(entry, change.revision);
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
  #happens(entry: ActiveFault): boolean {
    const { progress, fault } = entry;
    const { occurrence, share } = fault.selector;
    progress.matched += 1;
    this.#isUnsaved = true;
    if (occurrence !== undefined && progress.matched !== occurrence) return false;
    return share === undefined || stableFraction(`${this.#record?.seed}/${entry.name}/${progress.matched}`) < share;
  }

  /** `revision`: of the change that triggers the fault, which is the first that a fault of watches hides. */
  #activate(entry: ActiveFault, about: About = {}, revision = this.#host.registry().store.revision + 1): void {
    const { progress, fault } = entry;
    const { action, selector } = fault;
    Object.assign(progress, { state: "active", sinceRevision: revision, sinceMs: this.#host.registry().clock.nowMs() });
    this.#isUnsaved = true;
    if ("stale" in action) {
      if (progress.staleRevision === 0) progress.staleRevision = this.#host.registry().store.revision;
      this.#inject(entry, `reads from a server that lags at revision ${progress.staleRevision}`, about);
    }
    if ("disconnect" in action) {
      this.#inject(entry, "all connections are cut, and refused until the fault ends", about);
      const isSelected = (client: FaultClient) => selectsClient(selector, client);
      this.#onFlush.push((watches) => watches.endClients(isSelected, watchCut, "the connection is cut"));
    }
    if ("watch" in action && (action.watch === "end" || action.watch === "expire")) {
      const isExpired = action.watch === "expire";
      this.#inject(entry, isExpired ? "watches end with Expired" : "watches end", about);
      const isSelected = (client: FaultClient, resource: string) => selectsWatch(selector, client, resource);
      const code = isExpired ? watchExpired : 1000;
      this.#onFlush.push((watches) => watches.endClients(isSelected, code, "an injected fault"));
    }
    if ("watch" in action && action.watch === "freeze") this.#inject(entry, "events are held back", about);
    if ("watchDelay" in action) this.#inject(entry, `events are delayed by ${action.watchDelay} ms`, about);
    if (isOfCluster(fault)) progress.isDue = true;
    this.#host.wake();
  }

  #end(entry: ActiveFault, revision = this.#host.registry().store.revision): void {
    const { progress, fault } = entry;
    if (progress.state === "ended") return;
    const wasActive = progress.state === "active";
    progress.state = "ended";
    progress.untilRevision = revision;
    this.#isUnsaved = true;
    this.#host.wake();
    if (!wasActive) return;
    const isHeld = ("watch" in fault.action && fault.action.watch === "freeze") || "stale" in fault.action;
    if (isHeld) this.#onFlush.push((watches) => this.#release(entry, watches));
    if (isOfCluster(fault)) progress.isDue = true;
  }

  /** Sends the newest change of each object that was held back, as a list after a reconnect would show it. */
  #release(entry: ActiveFault, watches: FaultyWatches): void {
    const { fault, progress } = entry;
    const { store } = this.#host.registry();
    const newest = new Map<string, Change>();
    const { resource } = fault.selector;
    for (let from = delayedFrom(entry); from < progress.untilRevision; ) {
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

  #inject(entry: ActiveFault, effect: string, about: About): void {
    const { progress, fault } = entry;
    const record = this.#record;
    if (!record) return;
    const { store, clock } = this.#host.registry();
    progress.injected += 1;
    record.injections += 1;
    this.#isUnsaved = true;
    const { user, verb, resource, namespace, name } = about;
    writeInjection(this.#host.sql, {
      number: record.injections,
      fault: entry.name,
      at: new Date(clock.nowMs()).toISOString(),
      revision: store.revision,
      effect,
      ...(user === undefined ? {} : { user }),
      ...(verb === undefined ? {} : { verb }),
      ...(resource === undefined ? {} : { resource }),
      ...(namespace ? { namespace } : {}),
      ...(name ? { name } : {}),
    });
    if (fault.end?.times !== undefined && progress.injected >= fault.end.times) this.#end(entry);
    this.#host.injected();
  }
}

/** The changes that are read at once when they are released. */
const releaseBatch = 200;

/** Returns the revision after which changes were held back. */
function delayedFrom({ fault, progress }: Pick<ActiveFault, "fault" | "progress">): number {
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
    change.revision > delayedFrom({ fault, progress }) &&
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
