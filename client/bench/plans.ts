// The plans of a test: faults that are derived from a run without faults. A plan makes the operator crash after a write, see stale state
// after a restart, miss the state between two changes, or have a write refused, delayed or lost.
import type { FaultList, GivenFaults } from "../index.ts";
import type { RecordedChange } from "./history.ts";

export interface Plan {
  readonly title: string;
  readonly faults: GivenFaults;
  /** The faults that end when the operator and its cluster are at rest. */
  readonly endsAtRest?: readonly string[];
  /** Whether the operator rightly creates and deletes other objects than without faults, so that only final states are compared. */
  readonly hasOwnHistory?: boolean;
}

/** The results of a run without faults. */
export interface Recording {
  readonly user: string;
  /** The changes since the operator was started, the oldest first. */
  readonly changes: readonly RecordedChange[];
  /** The operator's requests. */
  readonly requests: FaultList["injections"];
}

type Fault = GivenFaults["faults"][number];
type ObjectChange = {
  expression?: string;
  resource: string;
  namespace: string;
  name: string;
  change: "created" | "changed" | "marked" | "deleted";
  occurrence: number;
};

const writeVerbs = new Set(["create", "update", "patch", "delete"]);
const uncounted = new Set(["leases.coordination.k8s.io", "events", "events.events.k8s.io"]);
/** The maximum number of plans: for the effects of each cause, and for the occurrences of each kind of write. */
const maxPlans = { effects: 8, occurrences: 2 };

export function plansOf(recording: Recording): Plan[] {
  return interleaved([crashes(recording), staleStates(recording), unobservedStates(recording), refusals(recording)]);
}

/** Takes one plan of each kind in turn, so that the first few plans include all kinds. */
function interleaved(kinds: readonly (readonly Plan[])[]): Plan[] {
  const length = Math.max(0, ...kinds.map((plans) => plans.length));
  return Array.from({ length }, (_, at) => kinds.flatMap((plans) => plans[at] ?? [])).flat();
}

function crash(user: string, trigger: Fault["trigger"]): Fault {
  return { name: "crash", selector: { user }, ...(trigger ? { trigger } : {}), action: { disconnect: true } };
}

/** The order of crashes: writes that cannot be taken back come first. */
const rank = { deleted: 0, marked: 0, created: 1, changed: 2 };

/** Returns a plan for each write, with a crash after it. The write is identified by its object and its number among the object's changes. */
function crashes({ user, changes }: Recording): Plan[] {
  return numbered(changes)
    .filter(
      ({ recordedChange, change }) =>
        recordedChange.user === user && !(change === "changed" && isMarking(recordedChange)),
    )
    .sort((a, b) => rank[a.change] - rank[b.change])
    .map((write) => {
      const { origin, subresource } = write.recordedChange;
      const object = `${write.resource}${subresource ? `/${subresource}` : ""} ${write.name}`;
      return {
        title: `crash after ${origin} of ${object}, ${textOf(write)}`,
        faults: { faults: [crash(user, { change: changeOf(write) })] },
      };
    });
}

interface NumberedChange extends ObjectChange {
  readonly recordedChange: RecordedChange;
}

/** Reports whether an update marks its object for deletion. */
function isMarking({ change, fields }: RecordedChange): boolean {
  return (
    change === "changed" && fields.some(({ path, from }) => path === "metadata.deletionTimestamp" && from === undefined)
  );
}

/** Numbers the changes of each object, as the triggers of faults count them. */
function numbered(changes: readonly RecordedChange[]): NumberedChange[] {
  const counts = new Map<string, number>();
  return changes.flatMap((recordedChange) => {
    const { resource, namespace = "", name } = recordedChange;
    const kinds = isMarking(recordedChange) ? (["changed", "marked"] as const) : ([recordedChange.change] as const);
    return kinds.map((change) => {
      const key = `${change} ${resource} ${namespace}/${name}`;
      const occurrence = (counts.get(key) ?? 0) + 1;
      counts.set(key, occurrence);
      return { resource, namespace, name, change, occurrence, recordedChange };
    });
  });
}

/** Returns the resources that the operator lists or watches. */
function readResources({ requests }: Recording): Set<string> {
  return new Set(
    requests.flatMap(({ verb, resource }) => (verb === "list" || verb === "watch" ? [resource ?? ""] : [])),
  );
}

/** Returns changes of resources that the operator reads: updates by the workload, deletions, and marks for deletion. */
function causesIn(recording: Recording): NumberedChange[] {
  const resources = readResources(recording);
  return numbered(recording.changes).filter(
    ({ resource, change, recordedChange }) =>
      resources.has(resource) &&
      change !== "created" &&
      (change !== "changed" || isOfWorkload(recordedChange, recording)) &&
      isDistinguishable(change, recordedChange),
  );
}

/** Reports whether a change can be distinguished from other changes of its object. */
function isDistinguishable(change: NumberedChange["change"], recordedChange: RecordedChange): boolean {
  return change !== "changed" || expressionOf(recordedChange) !== undefined;
}

function isOfWorkload({ user, auditId, subresource }: RecordedChange, recording: Recording): boolean {
  return auditId !== undefined && user !== recording.user && subresource === undefined;
}

/**
 * Returns plans that restart the operator at a creation or deletion (the effect) with stale state of an earlier change (the cause). Causes
 * by the workload come first, and of each cause its most likely effects.
 */
function staleStates(recording: Recording): Plan[] {
  const [byWorkload, byControllers] = [new Array<Plan[]>(), new Array<Plan[]>()];
  for (const cause of causesIn(recording)) {
    const plans = effectsOf(cause, recording)
      .slice(0, maxPlans.effects)
      .map((effect) => staleState(recording, cause, effect, cause.change !== "changed"));
    (isOfWorkload(cause.recordedChange, recording) ? byWorkload : byControllers).push(plans);
  }
  return [...interleaved(byWorkload), ...interleaved(byControllers)];
}

/**
 * Returns the creations and deletions after a change, of resources that the operator reads. First come objects that the operator itself
 * creates or deletes, then recreated objects, then later ones: at that time most objects exist that stale state can destroy.
 */
function effectsOf(cause: NumberedChange, recording: Recording): NumberedChange[] {
  const resources = readResources(recording);
  const all = numbered(recording.changes);
  const operatorObjects = new Set(
    all
      .filter(({ recordedChange, change }) => change !== "changed" && recordedChange.user === recording.user)
      .map(keyOf),
  );
  const effects = all.filter(
    ({ change, resource, recordedChange }) =>
      recordedChange.revision > cause.recordedChange.revision &&
      (change === "created" || change === "deleted") &&
      resources.has(resource),
  );
  return effects.toSorted(
    (a, b) =>
      Number(operatorObjects.has(keyOf(b))) - Number(operatorObjects.has(keyOf(a))) ||
      Number(isRecreated(b)) - Number(isRecreated(a)) ||
      b.recordedChange.revision - a.recordedChange.revision,
  );
}

function keyOf({ resource, namespace, name }: ObjectChange): string {
  return `${resource} ${namespace}/${name}`;
}

function isRecreated({ change, occurrence }: NumberedChange): boolean {
  return change === "created" && occurrence > 1;
}

/** `includesCause`: the stale state includes the cause; otherwise it ends just before the cause. */
function staleState({ user }: Recording, cause: NumberedChange, effect: NumberedChange, includesCause: boolean): Plan {
  const { resource, namespace, name } = cause;
  const stale: Fault = {
    name: "stale",
    selector: { user, resource, namespace, name },
    trigger: { change: changeOf(effect) },
    action: { stale: { ...changeOf(cause), before: !includesCause } },
  };
  return {
    title: `restart with ${resource} ${name} as ${includesCause ? "of" : "before"} ${textOf(cause)}, when ${effect.resource} ${effect.name} is ${textOf(effect)}`,
    faults: { faults: [stale, crash(user, { change: changeOf(effect) })] },
    endsAtRest: ["stale"],
  };
}

/** Returns plans in which the operator does not observe an object's state between two changes by the workload. */
function unobservedStates(recording: Recording): Plan[] {
  const { user } = recording;
  const resources = readResources(recording);
  const all = numbered(recording.changes).filter(
    ({ resource, recordedChange, change }) =>
      resources.has(resource) && isOfWorkload(recordedChange, recording) && isDistinguishable(change, recordedChange),
  );
  return all.flatMap((first, at) => {
    // An object that is marked for deletion waits for the operator to see it.
    if (first.change === "marked") return [];
    const second = all
      .slice(at + 1)
      .find(
        ({ resource, namespace, name }) =>
          resource === first.resource && namespace === first.namespace && name === first.name,
      );
    if (!second) return [];
    const { resource, namespace, name } = first;
    const frozen: Fault = {
      name: "unobserved",
      selector: { user, resource, namespace, name },
      trigger: { change: changeOf(first) },
      action: { watch: "freeze" },
      // Occurrences are counted from the trigger.
      end: { change: { ...changeOf(second), occurrence: 1 } },
    };
    return [
      {
        title: `miss ${resource} ${name} between ${textOf(first)} and ${textOf(second)}`,
        faults: { faults: [frozen] },
        hasOwnHistory: true,
      },
    ];
  });
}

/** Returns plans in which a write of each kind is refused, delayed, or loses its answer. */
function refusals({ user, requests }: Recording): Plan[] {
  const kinds = new Map<string, { verb: string; resource: string; count: number }>();
  for (const { verb = "", resource = "" } of requests) {
    if (!writeVerbs.has(verb) || uncounted.has(resource)) continue;
    const kind = kinds.get(`${verb} ${resource}`) ?? { verb, resource, count: 0 };
    kind.count += 1;
    kinds.set(`${verb} ${resource}`, kind);
  }
  const actions: readonly (readonly [string, Fault["action"]])[] = [
    ["is answered 409", { status: 409 }],
    ["is answered 500", { status: 500 }],
    ["is done and its answer lost", { lostAnswer: true }],
    ["takes 1 s", { latency: "1s" }],
  ];
  return [...kinds.values()].flatMap(({ verb, resource, count }) =>
    Array.from({ length: Math.min(count, maxPlans.occurrences) }, (_, at) => at + 1).flatMap((occurrence) =>
      actions.map(([text, action]): Plan => {
        const selector = { user, verb: verb as "create", resource, occurrence };
        return {
          title: `${verb} ${occurrence} of ${resource} ${text}`,
          faults: { faults: [{ name: "refusal", selector, action }] },
        };
      }),
    ),
  );
}

/**
 * Returns a change in the form of a fault's trigger. An update is identified by the first value that it sets, because the number of updates
 * before it differs from run to run.
 */
function changeOf({ resource, namespace, name, change, occurrence, recordedChange }: NumberedChange): ObjectChange {
  const expression = change === "changed" ? expressionOf(recordedChange) : undefined;
  if (expression === undefined) return { resource, namespace, name, change, occurrence };
  return { resource, namespace, name, change, expression, occurrence: 1 };
}

function expressionOf({ fields }: RecordedChange): string | undefined {
  const isScalar = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);
  const field = fields.find(({ path, to }) => /^spec(\.\w+)+$/.test(path) && isScalar(to));
  return field && `object.${field.path} == ${JSON.stringify(field.to)}`;
}

function textOf({ change, occurrence }: ObjectChange): string {
  const word = change === "marked" ? "marked for deletion" : change;
  return occurrence === 1 ? word : `${word} (${occurrence})`;
}
