// The interface of a describer, and parts that several of them share: events, pods of a controller, headings and conditions.
import { formatLabelSelector, labelSelectorAsSelector } from "../../../shared/k8s/selectors/labels.ts";
import { age } from "../../../shared/k8s/time.ts";
import { type JsonObject, isObject } from "../../../shared/schema/json-values.ts";
import type { CommandCall } from "../command.ts";
import { listAt, metadataOf, nameOf, namespaceOf, numberAt, objectAt, stringAt, stringsAt, textOf } from "../object.ts";
import { longTime, type Description } from "./writer.ts";

export interface Asking {
  readonly call: CommandCall;
  readonly showsEvents: boolean;
  readonly chunk: number;
}

export type Describer = (object: JsonObject, into: Description, asking: Asking) => Promise<void> | void;

/** Lists all items, page by page. */
export async function listAll(
  call: CommandCall,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<JsonObject[]> {
  const items: JsonObject[] = [];
  let next = "";
  do {
    const list = await call.cluster.json(path, { query: { ...query, continue: next } });
    if (Array.isArray(list.items)) items.push(...list.items.filter(isObject));
    next = textOf(metadataOf(list).continue);
  } while (next);
  return items;
}

export interface Reference {
  readonly name: string;
  readonly namespace: string;
  readonly kind?: string;
  readonly uid: string;
}

export async function describeEvents(
  object: JsonObject,
  into: Description,
  asking: Asking,
  of?: Reference,
): Promise<void> {
  if (!asking.showsEvents) return;
  const reference = of ?? {
    name: nameOf(object),
    namespace: namespaceOf(object),
    kind: textOf(object.kind),
    uid: stringAt(object, "metadata", "uid"),
  };
  const events = await eventsOf(reference, asking).catch(() => undefined);
  if (events) writeEvents(events, into, asking.call.surroundings.clock.nowMs());
}

export async function eventsOf(
  { name, namespace, kind, uid }: Reference,
  { call, chunk }: Asking,
): Promise<JsonObject[]> {
  const terms = [
    `involvedObject.name=${name}`,
    `involvedObject.namespace=${namespace}`,
    ...(kind ? [`involvedObject.kind=${kind}`] : []),
    `involvedObject.uid=${uid}`,
  ];
  const path = namespace ? `/api/v1/namespaces/${namespace}/events` : "/api/v1/events";
  return listAll(call, path, { fieldSelector: terms.join(","), limit: String(chunk) });
}

export function writeEvents(events: readonly JsonObject[], into: Description, nowMs: number): void {
  if (events.length === 0) return into.line(0, "Events:\t<none>");
  into.flush();
  const sorted = [...events].sort((a, b) =>
    textOf(a.lastTimestamp) < textOf(b.lastTimestamp) ? -1 : textOf(a.lastTimestamp) > textOf(b.lastTimestamp) ? 1 : 0,
  );
  into.line(0, "Events:");
  into.line(1, "Type\tReason\tAge\tFrom\tMessage");
  into.line(1, "----\t------\t----\t----\t-------");
  for (const event of sorted) {
    const first = age(textOf(event.eventTime) || textOf(event.firstTimestamp), nowMs);
    const count = numberAt(event, "count") ?? 0;
    const series = event.series;
    const when = isObject(series)
      ? `${age(textOf(series.lastObservedTime), nowMs)} (x${numberAt(series, "count") ?? 0} over ${first})`
      : count > 1
        ? `${age(textOf(event.lastTimestamp), nowMs)} (x${count} over ${first})`
        : first;
    const field = stringAt(event, "involvedObject", "fieldPath");
    const message = `${field ? `${field}: ` : ""}${textOf(event.message).trim()}`;
    into.line(
      1,
      `${textOf(event.type)}\t${textOf(event.reason)}\t${when}\t${stringAt(event, "source", "component") || textOf(event.reportingComponent)}\t${message}`,
    );
  }
}

/** Writes name, namespace, labels and annotations. */
export function head(object: JsonObject, into: Description, between: readonly string[] = []): void {
  into.line(0, `Name:\t${nameOf(object)}`);
  if (namespaceOf(object)) into.line(0, `Namespace:\t${namespaceOf(object)}`);
  for (const line of between) into.line(0, line);
  into.labels("Labels", stringsAt(object, "metadata", "labels"));
  into.annotations("Annotations", stringsAt(object, "metadata", "annotations"));
}

/** Writes the controller: `ReplicaSet/web-6d4cf56db6`. */
export function controlledBy(object: JsonObject, into: Description): void {
  const owner = listAt(object, "metadata", "ownerReferences").find(({ controller }) => controller === true);
  if (owner) into.line(0, `Controlled By:\t${textOf(owner.kind)}/${textOf(owner.name)}`);
}

/** Writes the conditions with their reasons. */
export function shortConditions(object: JsonObject, into: Description): void {
  const conditions = listAt(object, "status", "conditions");
  if (conditions.length === 0) return;
  into.line(0, "Conditions:");
  into.line(1, "Type\tStatus\tReason");
  into.line(1, "----\t------\t------");
  for (const { type, status, reason } of conditions)
    into.line(1, `${textOf(type)} \t${textOf(status)}\t${textOf(reason)}`);
}

export function created(object: JsonObject): string {
  return `CreationTimestamp:\t${longTime(metadataOf(object).creationTimestamp)}`;
}

/** Formats a field that is a label selector, or `<unset>` if it is absent. */
export function selectorText(value: unknown): string {
  // The server validates selectors, so the field has the shape of one.
  return isObject(value) ? formatLabelSelector(value) : "<unset>";
}

/** Formats a map selector: `app=web`. Empty if it selects all. */
export function plainSelector(value: unknown): string {
  return labelSelectorAsSelector(isObject(value) ? value : undefined).toString();
}

/** Counts the pods of a controller in each phase and formats the counts. */
export async function podCounts(object: JsonObject, labelSelector: string, { call, chunk }: Asking): Promise<string> {
  const pods = await listAll(call, `/api/v1/namespaces/${namespaceOf(object)}/pods`, {
    labelSelector,
    limit: String(chunk),
  });
  const uid = stringAt(object, "metadata", "uid");
  const controlledPods = pods.filter((pod) =>
    listAt(pod, "metadata", "ownerReferences").some((owner) => owner.controller === true && owner.uid === uid),
  );
  const count = (phase: string) => controlledPods.filter((pod) => stringAt(pod, "status", "phase") === phase).length;
  return `${count("Running")} Running / ${count("Pending")} Waiting / ${count("Succeeded")} Succeeded / ${count("Failed")} Failed`;
}

export function statusCount(object: JsonObject, field: string): number {
  return numberAt(objectAt(object, "status"), field) ?? 0;
}
