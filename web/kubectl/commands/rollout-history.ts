// `kubectl rollout history` and `undo`: the revisions of a workload.
import { labelSelectorAsSelector } from "../../../shared/k8s/selectors/labels.ts";
import { type JsonObject, copyJson, equalJson, isObject } from "../../../shared/schema/json-values.ts";
import { strategicMerge } from "../../../shared/schema/strategic/strategic-merge.ts";
import type { CommandCall } from "../command.ts";
import { asError, throwAll } from "../errors.ts";
import { type Info, ensure, numberAt, objectAt, stringAt, stringsAt } from "../object.ts";
import { describeTemplateText } from "../describe/pod-template.ts";
import { describeColumns, newTabWriter } from "../print/tab-writer.ts";
import { select } from "../resources/select.ts";
import { typeNameOf } from "../types.ts";
import { changingPrinter, dryRunOf, writePrinter } from "../writes/dry-run.ts";
import { lastApplied, lastAppliedAnnotation } from "../writes/last-applied.ts";
import { patchObject } from "../writes/send.ts";
import { requireResource } from "./rollout-resource.ts";

const changeCause = "kubernetes.io/change-cause";
const revisionAnnotation = "deployment.kubernetes.io/revision";
const hashLabel = "pod-template-hash";

interface Revision {
  readonly number: number;
  readonly cause: string;
  readonly template: JsonObject;
  /** The ReplicaSet or ControllerRevision that records the revision. */
  readonly record: JsonObject;
  /** The workload or ReplicaSet at this revision. */
  readonly object: JsonObject;
}

export async function history(call: CommandCall): Promise<void> {
  const { flags, streams } = call;
  requireResource(call);
  const revisionNumber = flags.int("revision");
  if (revisionNumber < 0) throw new Error(`revision must be a positive integer: ${revisionNumber}`);
  const { infos, errors } = await select(call, { args: call.args, allowsAll: true, keepsGoing: true });
  const failed = [...errors];
  const print = changingPrinter(call);
  const printObject = flags.changed("output") ? writePrinter(call, "", "none", true) : undefined;
  for (const info of infos) {
    try {
      const revisions = await revisionsOf(call, info, "history", "history viewer");
      const revision = revisions.find(({ number }) => number === revisionNumber);
      if (revisionNumber > 0 && !revision && revisions.length > 0)
        throw new Error("unable to find the specified revision");
      if (printObject) {
        for (const { object } of revision ? [revision] : revisions) streams.out(printObject(object));
        continue;
      }
      const text =
        revisions.length === 0
          ? "No rollout history found."
          : revision
            ? describeTemplateText(templateOf(revision))
            : table(revisions);
      streams.out(print(info.object, `${revisionNumber > 0 ? `with revision #${revisionNumber}` : ""}\n${text}`));
    } catch (error) {
      failed.push(asError(error));
    }
  }
  throwAll(failed);
}

/** Returns the pod template. For a Deployment it includes the change cause as an annotation, as kubectl prints it. */
function templateOf({ template, cause, object }: Revision): JsonObject {
  const copy = copyJson(template);
  if (cause && object.kind === "ReplicaSet") ensure(copy, "metadata", "annotations")[changeCause] = cause;
  return copy;
}

function table(revisions: readonly Revision[]): string {
  const lines = revisions.map(({ number, cause }) => `${number}\t${cause || "<none>"}\n`);
  return newTabWriter(describeColumns).align(`REVISION\tCHANGE-CAUSE\n${lines.join("")}`);
}

const withoutHistory = ["Job", "Pod", "ReplicaSet", "ReplicationController", "CronJob"];

async function revisionsOf(call: CommandCall, info: Info, what: string, who: string): Promise<Revision[]> {
  const { mapping, namespace, object } = info;
  if (!["Deployment", "DaemonSet", "StatefulSet"].includes(mapping.kind)) {
    const name = mapping.group ? `${mapping.kind}.${mapping.group}` : mapping.kind;
    if (withoutHistory.includes(mapping.kind))
      throw new Error(`no ${who} has been implemented for ${JSON.stringify(name)}`);
    throw new Error(
      `error retrieving ${what} for ${JSON.stringify(name)}, no visitor method exists for {${mapping.group} ${mapping.kind}}`,
    );
  }
  const plural = mapping.kind === "Deployment" ? "replicasets" : "controllerrevisions";
  // The selector of a workload is always a label selector.
  const labelSelector = labelSelectorAsSelector(objectAt(object, "spec", "selector")).toString();
  const list = await call.cluster.json(`/apis/apps/v1/namespaces/${namespace}/${plural}`, { query: { labelSelector } });
  const uid = stringAt(object, "metadata", "uid");
  const items = (Array.isArray(list.items) ? list.items.filter(isObject) : []).filter((item) => {
    const owners =
      isObject(item.metadata) && Array.isArray(item.metadata.ownerReferences)
        ? (item.metadata.ownerReferences as JsonObject[])
        : [];
    return owners.some((owner) => owner.uid === uid && owner.controller === true);
  });
  return items.map((record) => revisionOf(mapping.kind, object, record)).sort((a, b) => a.number - b.number);
}

function revisionOf(kind: string, workload: JsonObject, record: JsonObject): Revision {
  const cause = stringsAt(record, "metadata", "annotations")[changeCause] ?? "";
  if (kind === "Deployment") {
    const number = Number(stringsAt(record, "metadata", "annotations")[revisionAnnotation] ?? "0");
    return {
      number,
      cause,
      template: objectAt(record, "spec", "template"),
      record,
      object: { apiVersion: "apps/v1", kind: "ReplicaSet", ...record },
    };
  }
  const type = typeNameOf("apps/v1", kind) ?? "";
  const object = strategicMerge(type, copyJson(workload), copyJson(objectAt(record, "data"))) as JsonObject;
  return {
    number: numberAt(record, "revision") ?? 0,
    cause,
    template: objectAt(object, "spec", "template"),
    record,
    object,
  };
}

export async function undo(call: CommandCall): Promise<void> {
  requireResource(call);
  const { infos, errors } = await select(call, { args: call.args, allowsAll: true, keepsGoing: true });
  const failed = [...errors];
  const dryRun = dryRunOf(call.flags);
  const print = changingPrinter(call, dryRun);
  for (const info of infos) {
    try {
      if (lastApplied(info.object) !== undefined) {
        call.streams.err(
          `Warning: resource ${info.mapping.resource}/${info.name} was previously managed with 'kubectl apply'. Rolling back will not update the ${lastAppliedAnnotation} annotation, which may cause unexpected behavior on future 'kubectl apply' operations. Consider using 'kubectl apply' with your previous configuration file instead.\n`,
        );
      }
      call.streams.out(print(info.object, await undoOne(call, info)));
    } catch (error) {
      failed.push(asError(error));
    }
  }
  throwAll(failed);
}

/** Rolls back one workload and returns the operation to report. */
async function undoOne(call: CommandCall, info: Info): Promise<string> {
  const to = call.flags.int("to-revision");
  const dryRun = dryRunOf(call.flags);
  const isDeployment = info.mapping.kind === "Deployment";
  const notFound = new Error(`unable to find specified revision ${to} in history`);
  if (to < 0) throw notFound;
  const revisions = await revisionsOf(call, info, "rollbacker", "rollbacker");
  const target = to === 0 ? revisions.at(-2) : revisions.find(({ number }) => number === to);
  if (!target) {
    if (to > 0) throw notFound;
    throw new Error(
      isDeployment
        ? `no rollout history found for deployment ${JSON.stringify(info.name)}`
        : "no last revision to roll back to",
    );
  }
  if (dryRun === "client") {
    const text = describeTemplateText(target.template);
    return isDeployment ? text : `will roll back to ${text}`;
  }
  if (isDeployment && objectAt(info.object, "spec").paused === true) {
    throw new Error(
      "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again",
    );
  }
  if (equalJson(withoutHash(target.template), withoutHash(objectAt(info.object, "spec", "template")))) {
    return `skipped rollback (current template already matches revision ${to})`;
  }
  try {
    if (isDeployment) await patchObject(call, info, deploymentPatch(info.object, target), { type: "json", dryRun });
    else await patchObject(call, info, objectAt(target.record, "data"), { type: "strategic", dryRun });
  } catch (error) {
    throw new Error(`failed restoring revision ${to}: ${asError(error).message}`);
  }
  return "rolled back";
}

function withoutHash(template: JsonObject): JsonObject {
  const copy = copyJson(template);
  delete objectAt(copy, "metadata", "labels")[hashLabel];
  return copy;
}

const keptAnnotations = [
  lastAppliedAnnotation,
  revisionAnnotation,
  "deployment.kubernetes.io/revision-history",
  "deployment.kubernetes.io/desired-replicas",
  "deployment.kubernetes.io/max-replicas",
  "deprecated.deployment.rollback.to",
];

function deploymentPatch(deployment: JsonObject, { template, record }: Revision): JsonObject[] {
  const [now, then] = [stringsAt(deployment, "metadata", "annotations"), stringsAt(record, "metadata", "annotations")];
  const annotations = Object.fromEntries([
    ...Object.entries(now).filter(([key]) => keptAnnotations.includes(key)),
    ...Object.entries(then).filter(([key]) => !keptAnnotations.includes(key)),
  ]);
  return [
    { op: "replace", path: "/spec/template", value: withoutHash(template) },
    { op: "replace", path: "/metadata/annotations", value: annotations },
  ];
}
