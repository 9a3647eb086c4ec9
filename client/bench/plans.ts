// The plans of a test: faults that are derived from a run without faults. A plan makes the operator crash after a write, see stale state
// after a restart, miss the state between two changes, or have a write refused, delayed or lost.
import type { FaultList, GivenFaults } from "../index.ts";
import type { RecordedChange } from "./history.ts";

export interface Plan {
  readonly title: string;
  readonly faults: GivenFaults;
}

/** What a run without faults has shown. */
export interface Recording {
  readonly user: string;
  /** The changes since the operator was started, the oldest first. */
  readonly changes: readonly RecordedChange[];
  /** The number of the operator's writes that changed something, and its requests. */
  readonly writes: number;
  readonly requests: FaultList["injections"];
}

type Fault = GivenFaults["faults"][number];
type ObjectChange = {
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
const staleFor = "4s";

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

/** A crash after each write. */
function crashes({ user, writes, changes }: Recording): Plan[] {
  const own = changes.filter((one) => one.user === user);
  return Array.from({ length: writes }, (_, at) => {
    const write = own[at];
    const near = write ? ` (${write.origin} ${write.resource} ${write.name})` : "";
    return { title: `crash after write ${at + 1}${near}`, faults: { faults: [crash(user, { write: at + 1 })] } };
  });
}

interface Counted extends ObjectChange {
  readonly of: RecordedChange;
}

/** Numbers the changes of each object, as the triggers of faults count them. */
function counted(changes: readonly RecordedChange[]): Counted[] {
  const counts = new Map<string, number>();
  return changes.flatMap((of) => {
    const { resource, namespace = "", name } = of;
    const isMarked =
      of.change === "changed" &&
      of.fields.some(({ path, from }) => path === "metadata.deletionTimestamp" && from === undefined);
    const kinds = isMarked ? (["changed", "marked"] as const) : ([of.change] as const);
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
      of.user !== "",
  );
}

function isOfWorkload({ user, auditId, subresource }: RecordedChange, recording: Recording): boolean {
  return auditId !== undefined && user !== recording.user && subresource === undefined;
}

/** After a change of an object the operator restarts, at a later creation or deletion, with a server that lags at that change. */
function staleStates(recording: Recording): Plan[] {
  const { user } = recording;
  const all = counted(recording.changes);
  const resources = readResources(recording);
  return causesIn(recording).flatMap((cause) => {
    const effects = all.filter(
      ({ change, resource, of }) =>
        of.revision > cause.of.revision && (change === "created" || change === "deleted") && resources.has(resource),
    );
    return effects.slice(0, most.effects).map((effect) => staleState(user, cause, effect, cause.change !== "changed"));
  });
}

/** `includesCause`: the lagging server has seen the change; else it lags just before it. */
function staleState(user: string, cause: Counted, effect: Counted, includesCause: boolean): Plan {
  const { resource, namespace, name } = cause;
  const stale: Fault = {
    name: "stale",
    selector: { user, resource, namespace, name },
    trigger: { change: changeOf(effect) },
    action: { stale: { ...changeOf(cause), before: !includesCause } },
    end: { after: staleFor },
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
    ({ resource, of, change }) => resources.has(resource) && change !== "marked" && isOfWorkload(of, recording),
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
    const occurrence = second.change === first.change ? 1 : second.occurrence;
    const frozen: Fault = {
      name: "unobserved",
      selector: { user, resource, namespace, name },
      trigger: { change: changeOf(first) },
      action: { watch: "freeze" },
      end: {
        change: {
          ...changeOf(second),
          occurrence: second.change === first.change ? 1 : Math.max(1, occurrence - countBefore(all, second, first)),
        },
      },
    };
    return [
      {
        title: `miss ${resource} ${name} between ${textOf(first)} and ${textOf(second)}`,
        faults: { faults: [frozen] },
      },
    ];
  });
}

/** Counts the changes of the same kind as `second` up to `first`, which the end of a fault does not count. */
function countBefore(all: readonly Counted[], second: Counted, first: Counted): number {
  return all.filter(
    (one) =>
      one.change === second.change &&
      one.resource === second.resource &&
      one.name === second.name &&
      one.of.revision <= first.of.revision,
  ).length;
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

function changeOf({ resource, namespace, name, change, occurrence }: Counted): ObjectChange {
  return { resource, namespace, name, change, occurrence };
}

function textOf({ change, occurrence }: ObjectChange): string {
  const word = change === "marked" ? "marked for deletion" : change;
  return occurrence === 1 ? word : `${word} (${occurrence})`;
}
