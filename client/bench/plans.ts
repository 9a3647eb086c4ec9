// The plans of a test: faults that are derived from a run without faults. A plan makes the operator crash after a write, see stale state
// after a restart, miss the state between two changes, or have a write refused, delayed or lost.
import type { FaultList, GivenFaults } from "../index.ts";
import type { RecordedChange } from "./history.ts";

export interface Plan {
  readonly title: string;
  readonly faults: GivenFaults;
}

/** The results of a run without faults. */
export interface Recording {
  readonly user: string;
  /** The changes since the operator was started, the oldest first. */
  readonly changes: readonly RecordedChange[];
  /** The number of the operator's writes that changed something, and its requests. */
  readonly writes: number;
  readonly requests: FaultList["injections"];
  /** The seconds of the sandbox in a real second. */
  readonly speed: number;
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
/** The plans of each origin have a bound, the earliest first. */
const most = { effects: 8, occurrences: 2 };
/** The real seconds for which a server lags after a restart. */
const staleSeconds = 3;

export function plansOf(recording: Recording): Plan[] {
  return interleaved([crashes(recording), staleStates(recording), unobservedStates(recording), refusals(recording)]);
}

/** Takes one plan of each kind after the other, so that few plans are of all kinds. */
function interleaved(kinds: readonly (readonly Plan[])[]): Plan[] {
  const length = Math.max(0, ...kinds.map((plans) => plans.length));
  return Array.from({ length }, (_, at) => kinds.flatMap((plans) => plans[at] ?? [])).flat();
}

function crash(user: string, trigger: Fault["trigger"]): Fault {
  return { name: "crash", selector: { user }, ...(trigger ? { trigger } : {}), action: { disconnect: true } };
}

/** The order of crashes: writes that cannot be taken back come first. */
const rank = { deleted: 0, marked: 0, created: 1, changed: 2 };

/** A crash after each write. Its object and its place among the object's changes tell it from the renewals of locks. */
function crashes({ user, changes }: Recording): Plan[] {
  return counted(changes)
    .filter(({ of, change }) => of.user === user && !(change === "changed" && isMarking(of)))
    .sort((a, b) => rank[a.change] - rank[b.change])
    .map((write) => {
      const { origin, subresource } = write.of;
      const object = `${write.resource}${subresource ? `/${subresource}` : ""} ${write.name}`;
      return {
        title: `crash after ${origin} of ${object}, ${textOf(write)}`,
        faults: { faults: [crash(user, { change: changeOf(write) })] },
      };
    });
}

interface Counted extends ObjectChange {
  readonly of: RecordedChange;
}

/** Reports whether an update marks its object for deletion. */
function isMarking({ change, fields }: RecordedChange): boolean {
  return (
    change === "changed" && fields.some(({ path, from }) => path === "metadata.deletionTimestamp" && from === undefined)
  );
}

/** Numbers the changes of each object, as the triggers of faults count them. */
function counted(changes: readonly RecordedChange[]): Counted[] {
  const counts = new Map<string, number>();
  return changes.flatMap((of) => {
    const { resource, namespace = "", name } = of;
    const kinds = isMarking(of) ? (["changed", "marked"] as const) : ([of.change] as const);
    return kinds.map((change) => {
      const key = `${change} ${resource} ${namespace}/${name}`;
      const occurrence = (counts.get(key) ?? 0) + 1;
      counts.set(key, occurrence);
      return { resource, namespace, name, change, occurrence, of };
    });
  });
}

/** The resources that the operator lists or watches. */
function readResources({ requests }: Recording): Set<string> {
  return new Set(
    requests.flatMap(({ verb, resource }) => (verb === "list" || verb === "watch" ? [resource ?? ""] : [])),
  );
}

/** The changes of what the operator reads that the workload made, or that marked an object. */
function causesIn(recording: Recording): Counted[] {
  const resources = readResources(recording);
  return counted(recording.changes).filter(
    ({ resource, change, of }) =>
      resources.has(resource) &&
      change !== "created" &&
      (change !== "changed" || isOfWorkload(of, recording)) &&
      isKnown(change, of),
  );
}

/** Reports whether a change can be told from others of its object. */
function isKnown(change: Counted["change"], of: RecordedChange): boolean {
  return change !== "changed" || expressionOf(of) !== undefined;
}

function isOfWorkload({ user, auditId, subresource }: RecordedChange, recording: Recording): boolean {
  return auditId !== undefined && user !== recording.user && subresource === undefined;
}

/** After a change of an object the operator restarts, at a later creation or deletion, with a server that lags at that change. */
function staleStates(recording: Recording): Plan[] {
  const all = counted(recording.changes);
  const resources = readResources(recording);
  return causesIn(recording).flatMap((cause) => {
    const effects = all.filter(
      ({ change, resource, of }) =>
        of.revision > cause.of.revision && (change === "created" || change === "deleted") && resources.has(resource),
    );
    // Objects that were made again come first, the latest of them before all: by then most is there that stale state can destroy.
    const byRisk = effects.toSorted(
      (a, b) => Number(isMadeAgain(b)) - Number(isMadeAgain(a)) || b.of.revision - a.of.revision,
    );
    return byRisk
      .slice(0, most.effects)
      .map((effect) => staleState(recording, cause, effect, cause.change !== "changed"));
  });
}

function isMadeAgain({ change, occurrence }: Counted): boolean {
  return change === "created" && occurrence > 1;
}

/** `includesCause`: the lagging server has seen the change; else it lags just before it. */
function staleState({ user, speed }: Recording, cause: Counted, effect: Counted, includesCause: boolean): Plan {
  const { resource, namespace, name } = cause;
  const stale: Fault = {
    name: "stale",
    selector: { user, resource, namespace, name },
    trigger: { change: changeOf(effect) },
    action: { stale: { ...changeOf(cause), before: !includesCause } },
    end: { after: `${Math.ceil(staleSeconds * speed)}s` },
  };
  return {
    title: `restart with ${resource} ${name} as ${includesCause ? "of" : "before"} ${textOf(cause)}, when ${effect.resource} ${effect.name} is ${textOf(effect)}`,
    faults: { faults: [stale, crash(user, { change: changeOf(effect) })] },
  };
}

/** The operator misses the state of an object between two changes of the workload. */
function unobservedStates(recording: Recording): Plan[] {
  const { user } = recording;
  const resources = readResources(recording);
  const all = counted(recording.changes).filter(
    ({ resource, of, change }) => resources.has(resource) && isOfWorkload(of, recording) && isKnown(change, of),
  );
  return all.flatMap((first, at) => {
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
      // Counted from the trigger.
      end: { change: { ...changeOf(second), occurrence: 1 } },
    };
    return [
      {
        title: `miss ${resource} ${name} between ${textOf(first)} and ${textOf(second)}`,
        faults: { faults: [frozen] },
      },
    ];
  });
}

/** Each kind of write is refused, delayed or lost. */
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
    ["takes 2 s", { latency: "2s" }],
  ];
  return [...kinds.values()].flatMap(({ verb, resource, count }) =>
    Array.from({ length: Math.min(count, most.occurrences) }, (_, at) => at + 1).flatMap((occurrence) =>
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
 * Returns a change as faults await it. An update is known by the first value that it sets, because the number of updates before it differs
 * from run to run.
 */
function changeOf({ resource, namespace, name, change, occurrence, of }: Counted): ObjectChange {
  const expression = change === "changed" ? expressionOf(of) : undefined;
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
