// Descriptions of Deployments, ReplicaSets, StatefulSets, DaemonSets, ReplicationControllers, Jobs and CronJobs.
import { formatLabels } from "../../../shared/k8s/selectors/labels.ts";
import { humanDuration, parseTime } from "../../../shared/k8s/time.ts";
import { equalJson, isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import { at, listAt, nameOf, namespaceOf, numberAt, objectAt, stringAt, stringsAt, textOf } from "../object.ts";
import { describeClaimTemplates } from "./claim.ts";
import {
  type Asking,
  type Describer,
  controlledBy,
  created,
  describeEvents,
  head,
  listAll,
  plainSelector,
  podCounts,
  selectorText,
  shortConditions,
  statusCount,
} from "./describer.ts";
import { describePodTemplate } from "./pod-template.ts";
import { type Description, longTime, trueOrFalse } from "./writer.ts";

const template = (object: JsonObject) => objectAt(object, "spec", "template");
const value = (of: unknown) => String((of as string | number | undefined) ?? 0);

export const describeDeployment: Describer = async (object, into, asking) => {
  const spec = objectAt(object, "spec");
  head(object, into, [created(object)]);
  into.line(0, `Selector:\t${plainSelector(spec.selector)}`);
  into.line(
    0,
    `Replicas:\t${numberAt(spec, "replicas") ?? 0} desired | ${statusCount(object, "updatedReplicas")} updated | ${statusCount(object, "replicas")} total | ${statusCount(object, "availableReplicas")} available | ${statusCount(object, "unavailableReplicas")} unavailable`,
  );
  into.line(0, `StrategyType:\t${stringAt(spec, "strategy", "type")}`);
  into.line(0, `MinReadySeconds:\t${numberAt(spec, "minReadySeconds") ?? 0}`);
  const rolling = at(spec, "strategy", "rollingUpdate");
  if (isObject(rolling))
    into.line(
      0,
      `RollingUpdateStrategy:\t${value(rolling.maxUnavailable)} max unavailable, ${value(rolling.maxSurge)} max surge`,
    );
  describePodTemplate(template(object), into);
  shortConditions(object, into);
  const { old, current } = await replicaSets(object, asking);
  if (old.length > 0 || current.length > 0) {
    into.line(0, `OldReplicaSets:\t${setsText(old)}`);
    into.line(0, `NewReplicaSet:\t${setsText(current)}`);
  }
  await describeEvents(object, into, asking);
};

async function replicaSets(
  deployment: JsonObject,
  { call, chunk }: Asking,
): Promise<{ old: JsonObject[]; current: JsonObject[] }> {
  const labelSelector = plainSelector(at(deployment, "spec", "selector"));
  const all = await listAll(call, `/apis/apps/v1/namespaces/${namespaceOf(deployment)}/replicasets`, {
    labelSelector,
    limit: String(chunk),
  }).catch(() => []);
  const uid = stringAt(deployment, "metadata", "uid");
  const controlled = all.filter((set) =>
    listAt(set, "metadata", "ownerReferences").some((owner) => owner.uid === uid && owner.controller === true),
  );
  const currentTemplate = withoutHash(template(deployment));
  const byAge = [...controlled].sort((a, b) =>
    stringAt(a, "metadata", "creationTimestamp") < stringAt(b, "metadata", "creationTimestamp") ? -1 : 1,
  );
  const current = byAge.find((set) => equalJson(withoutHash(template(set)), currentTemplate));
  return { old: controlled.filter((set) => set !== current), current: current ? [current] : [] };
}

function withoutHash(of: JsonObject): JsonObject {
  const { "pod-template-hash": _, ...labels } = stringsAt(of, "metadata", "labels");
  return { ...of, metadata: { ...objectAt(of, "metadata"), labels } };
}

function setsText(sets: readonly JsonObject[]): string {
  const texts = sets.map(
    (set) =>
      `${nameOf(set)} (${statusCount(set, "replicas")}/${numberAt(set, "spec", "replicas") ?? 0} replicas created)`,
  );
  return texts.join(", ") || "<none>";
}

async function podsStatus(object: JsonObject, selector: string, asking: Asking, into: Description): Promise<void> {
  into.line(0, `Pods Status:\t${await podCounts(object, selector, asking)}`);
}

export const describeReplicaSet: Describer = async (object, into, asking) => {
  const selector = at(object, "spec", "selector");
  head(object, into, [`Selector:\t${selectorText(selector)}`]);
  controlledBy(object, into);
  into.line(
    0,
    `Replicas:\t${statusCount(object, "replicas")} current / ${numberAt(object, "spec", "replicas") ?? 0} desired`,
  );
  await podsStatus(object, plainSelector(selector), asking, into);
  describePodTemplate(template(object), into);
  shortConditions(object, into);
  await describeEvents(object, into, asking);
};

export const describeReplicationController: Describer = async (object, into, asking) => {
  const selector = formatLabels(stringsAt(object, "spec", "selector"));
  head(object, into, [`Selector:\t${selector}`]);
  into.line(
    0,
    `Replicas:\t${statusCount(object, "replicas")} current / ${numberAt(object, "spec", "replicas") ?? 0} desired`,
  );
  await podsStatus(object, selector, asking, into);
  describePodTemplate(template(object), into);
  shortConditions(object, into);
  await describeEvents(object, into, asking);
};

export const describeStatefulSet: Describer = async (object, into, asking) => {
  const spec = objectAt(object, "spec");
  const selector = plainSelector(spec.selector);
  head(object, into, [created(object), `Selector:\t${selector}`]);
  into.line(0, `Replicas:\t${numberAt(spec, "replicas") ?? 0} desired | ${statusCount(object, "replicas")} total`);
  into.line(0, `Update Strategy:\t${stringAt(spec, "updateStrategy", "type")}`);
  const rolling = objectAt(spec, "updateStrategy", "rollingUpdate");
  if (rolling.partition !== undefined) {
    into.line(1, `Partition:\t${numberAt(rolling, "partition") ?? 0}`);
    if (rolling.maxUnavailable !== undefined) into.line(1, `MaxUnavailable:\t${value(rolling.maxUnavailable)}`);
  }
  await podsStatus(object, selector, asking, into);
  describePodTemplate(template(object), into);
  describeClaimTemplates(listAt(spec, "volumeClaimTemplates"), into);
  await describeEvents(object, into, asking);
};

export const describeDaemonSet: Describer = async (object, into, asking) => {
  const selector = plainSelector(at(object, "spec", "selector"));
  const nodes = formatLabels(stringsAt(template(object), "spec", "nodeSelector"));
  head(object, into, [`Selector:\t${selector}`, `Node-Selector:\t${nodes}`]);
  into.line(0, `Desired Number of Nodes Scheduled: ${statusCount(object, "desiredNumberScheduled")}`);
  into.line(0, `Current Number of Nodes Scheduled: ${statusCount(object, "currentNumberScheduled")}`);
  into.line(0, `Number of Nodes Scheduled with Up-to-date Pods: ${statusCount(object, "updatedNumberScheduled")}`);
  into.line(0, `Number of Nodes Scheduled with Available Pods: ${statusCount(object, "numberAvailable")}`);
  into.line(0, `Number of Nodes Misscheduled: ${statusCount(object, "numberMisscheduled")}`);
  await podsStatus(object, selector, asking, into);
  describePodTemplate(template(object), into);
  await describeEvents(object, into, asking);
};

export const describeJob: Describer = async (object, into, asking) => {
  const [spec, status] = [objectAt(object, "spec"), objectAt(object, "status")];
  head(object, into, [`Selector:\t${plainSelector(spec.selector)}`]);
  controlledBy(object, into);
  const counted = (label: string, field: string, unit = "") => {
    if (numberAt(spec, field) !== undefined) into.line(0, `${label}:\t${numberAt(spec, field) ?? 0}${unit}`);
  };
  counted("Parallelism", "parallelism");
  into.line(0, `Completions:\t${numberAt(spec, "completions") ?? "<unset>"}`);
  if (spec.completionMode) into.line(0, `Completion Mode:\t${textOf(spec.completionMode)}`);
  if (typeof spec.suspend === "boolean") into.line(0, `Suspend:\t${spec.suspend}`);
  counted("Backoff Limit", "backoffLimit");
  counted("TTL Seconds After Finished", "ttlSecondsAfterFinished");
  const [start, end] = [textOf(status.startTime), textOf(status.completionTime)];
  if (start) into.line(0, `Start Time:\t${longTime(start)}`);
  if (end) into.line(0, `Completed At:\t${longTime(end)}`);
  if (start && end) into.line(0, `Duration:\t${humanDuration(parseTime(end) - parseTime(start))}`);
  counted("Active Deadline Seconds", "activeDeadlineSeconds", "s");
  const ready = numberAt(status, "ready");
  into.line(
    0,
    `Pods Statuses:\t${numberAt(status, "active") ?? 0} Active${ready === undefined ? "" : ` (${ready} Ready)`} / ${numberAt(status, "succeeded") ?? 0} Succeeded / ${numberAt(status, "failed") ?? 0} Failed`,
  );
  if (spec.completionMode === "Indexed")
    into.line(0, `Completed Indexes:\t${indexes(textOf(status.completedIndexes), 50)}`);
  describePodTemplate(template(object), into);
  await describeEvents(object, into, asking);
};

/** Truncates a list of indexes after the first comma behind `limit` characters. */
function indexes(text: string, limit: number): string {
  if (text === "") return "<none>";
  const comma = text.indexOf(",", limit);
  return comma < 0 ? text : `${text.slice(0, comma + 1)}...`;
}

export const describeCronJob: Describer = async (object, into, asking) => {
  const spec = objectAt(object, "spec");
  const job = objectAt(spec, "jobTemplate", "spec");
  const unset = (label: string, value: string | number | undefined, unit = "") =>
    into.line(0, `${label}:\t${value === undefined || value === "" ? "<unset>" : `${value}${unit}`}`);
  head(object, into);
  into.line(0, `Schedule:\t${textOf(spec.schedule)}`);
  into.line(0, `Concurrency Policy:\t${textOf(spec.concurrencyPolicy)}`);
  unset("Suspend", typeof spec.suspend === "boolean" ? trueOrFalse(spec.suspend) : undefined);
  unset("Time Zone", textOf(spec.timeZone));
  unset("Successful Job History Limit", numberAt(spec, "successfulJobsHistoryLimit"));
  unset("Failed Job History Limit", numberAt(spec, "failedJobsHistoryLimit"));
  unset("Starting Deadline Seconds", numberAt(spec, "startingDeadlineSeconds"), "s");
  unset("Selector", job.selector ? plainSelector(job.selector) : undefined);
  unset("Parallelism", numberAt(job, "parallelism"));
  unset("Completions", numberAt(job, "completions"));
  if (numberAt(job, "activeDeadlineSeconds") !== undefined)
    into.line(0, `Active Deadline Seconds:\t${numberAt(job, "activeDeadlineSeconds") ?? 0}s`);
  describePodTemplate(objectAt(job, "template"), into);
  const last = at(object, "status", "lastScheduleTime");
  unset("Last Schedule Time", last ? longTime(last) : undefined);
  into.line(
    0,
    `Active Jobs:\t${
      listAt(object, "status", "active")
        .map(({ name }) => textOf(name))
        .join(", ") || "<none>"
    }`,
  );
  await describeEvents(object, into, asking);
};
