// What is the matter with an object of any kind.
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { CronJob, Job } from "../../../shared/k8s/api/batch-v1.ts";
import type { Node, PersistentVolumeClaim, Pod, Service } from "../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { DiagnosisContext, Finding } from "./finding.ts";
import { wrongWithAny, wrongWithClaim, wrongWithNode, wrongWithService } from "./other-kinds.ts";
import { wrongWithPod } from "./pod.ts";
import {
  wrongWithCronJob,
  wrongWithDaemonSet,
  wrongWithDeployment,
  wrongWithJob,
  wrongWithReplicas,
} from "./workloads.ts";

type Look = (object: KubeObject, context: DiagnosisContext) => Finding | undefined;

/** The diagnosis functions by resource; the resource determines the type of the object. */
const looks: Readonly<Record<string, Look>> = {
  pods: (object, { events }) => wrongWithPod(object as Pod, events),
  "deployments.apps": (object, context) => wrongWithDeployment(object as Deployment, context),
  "replicasets.apps": (object, context) => wrongWithReplicas(object as ReplicaSet, context),
  "statefulsets.apps": (object, context) => wrongWithReplicas(object as StatefulSet, context),
  "daemonsets.apps": (object, context) => wrongWithDaemonSet(object as DaemonSet, context),
  "jobs.batch": (object, context) => wrongWithJob(object as Job, context),
  "cronjobs.batch": (object, context) => wrongWithCronJob(object as CronJob, context),
  services: (object, context) => wrongWithService(object as Service, context),
  nodes: (object) => wrongWithNode(object as Node),
  persistentvolumeclaims: (object, context) => wrongWithClaim(object as PersistentVolumeClaim, context),
};

/** Undefined where all is as it should be. */
export function wrongWith(resource: string, object: KubeObject, context: DiagnosisContext): Finding | undefined {
  const look = looks[resource];
  if (!look) return wrongWithAny(object);
  return object.metadata.deletionTimestamp && resource !== "pods" ? wrongWithAny(object) : look(object, context);
}
