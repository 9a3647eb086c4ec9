// What is the matter with an object of any kind.
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../../../shared/k8s/api/apps-v1.ts";
import type { CronJob, Job } from "../../../shared/k8s/api/batch-v1.ts";
import type { Node, PersistentVolumeClaim, Pod, Service } from "../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { Around, Finding } from "./finding.ts";
import { wrongWithAny, wrongWithClaim, wrongWithNode, wrongWithService } from "./other-kinds.ts";
import { wrongWithPod } from "./pod.ts";
import {
  wrongWithCronJob,
  wrongWithDaemonSet,
  wrongWithDeployment,
  wrongWithJob,
  wrongWithReplicas,
} from "./workloads.ts";

type Look = (object: KubeObject, around: Around) => Finding | undefined;

/** The diagnosis functions by resource; the resource determines the type of the object. */
const looks: Readonly<Record<string, Look>> = {
  pods: (object, { events }) => wrongWithPod(object as Pod, events),
  "deployments.apps": (object, around) => wrongWithDeployment(object as Deployment, around),
  "replicasets.apps": (object, around) => wrongWithReplicas(object as ReplicaSet, around),
  "statefulsets.apps": (object, around) => wrongWithReplicas(object as StatefulSet, around),
  "daemonsets.apps": (object, around) => wrongWithDaemonSet(object as DaemonSet, around),
  "jobs.batch": (object, around) => wrongWithJob(object as Job, around),
  "cronjobs.batch": (object, around) => wrongWithCronJob(object as CronJob, around),
  services: (object, around) => wrongWithService(object as Service, around),
  nodes: (object) => wrongWithNode(object as Node),
  persistentvolumeclaims: (object, around) => wrongWithClaim(object as PersistentVolumeClaim, around),
};

/** Undefined where all is as it should be. */
export function wrongWith(resource: string, object: KubeObject, around: Around): Finding | undefined {
  const look = looks[resource];
  if (!look) return wrongWithAny(object);
  return object.metadata.deletionTimestamp && resource !== "pods" ? wrongWithAny(object) : look(object, around);
}
