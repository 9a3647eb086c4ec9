// Why an object is as it is: from its conditions and events, what it owns and asks for, and the scheduler's record. Nothing is guessed.
import { limits } from "../../../../../shared/base/limits.ts";
import type { Reason, Why, WhyQuestion } from "../../../../../shared/contract/cluster/past.ts";
import type { KubeObject } from "../../../../../shared/k8s/meta.ts";
import { ApiError } from "../../../../../shared/k8s/status.ts";
import { storedKind } from "../../../../api/present/present.ts";
import { daemonSets } from "../../../../kinds/apps/daemon-set.ts";
import { deployments } from "../../../../kinds/apps/deployment.ts";
import { replicaSets } from "../../../../kinds/apps/replica-set.ts";
import { statefulSets } from "../../../../kinds/apps/stateful-set.ts";
import { cronJobs } from "../../../../kinds/batch/cron-job.ts";
import { jobs } from "../../../../kinds/batch/job/job.ts";
import { namespaces } from "../../../../kinds/core/namespace.ts";
import { persistentVolumeClaims } from "../../../../kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { pods } from "../../../../kinds/core/pod/pod.ts";
import { services } from "../../../../kinds/core/service/service.ts";
import type { Kind } from "../../../../kinds/kind.ts";
import { ingresses } from "../../../../kinds/networking/ingress.ts";
import { explain } from "../../../../scheduler/explain.ts";
import { schedulerController } from "../../../../scheduler/controller.ts";
import type { Cluster } from "../../../cluster.ts";
import { describe, type Explain, nameOf, type WhyContext } from "./context.ts";
import { whyClaim, whyDeleted, whyIngress, whyNamespace, whyObject, whyService } from "./resources.ts";
import { whyPod } from "./pods.ts";
import { whyCronJob, whyDaemonSet, whyDeployment, whyJob, whyReplicaSet, whyStatefulSet } from "./workloads.ts";

type AnyExplain = (object: never, context: WhyContext) => Omit<Reason, "what">;

const explains = new Map<string, AnyExplain>([
  [pods.resource, whyPod],
  [deployments.resource, whyDeployment],
  [replicaSets.resource, whyReplicaSet],
  [statefulSets.resource, whyStatefulSet],
  [daemonSets.resource, whyDaemonSet],
  [jobs.resource, whyJob],
  [cronJobs.resource, whyCronJob],
  [services.resource, whyService],
  [ingresses.resource, whyIngress],
  [persistentVolumeClaims.resource, whyClaim],
  [namespaces.resource, whyNamespace],
]);

/** Throws `ApiError` (404) if there is no such resource, or no object of that name. */
export function whyOf(
  { registry, system, runtime }: Pick<Cluster, "registry" | "system" | "runtime">,
  question: WhyQuestion,
): Why {
  const kind = kindNamed(registry.catalogue.kinds, question.resource);
  const object = system.get(kind, kind.namespaced ? question.namespace : "", question.name);
  if (!object) throw ApiError.notFound(kind.groupResource, question.name);
  let depth = 0;
  const context: WhyContext = {
    client: system,
    scheduling: (pod) => {
      const memory = runtime.memoryOf(schedulerController);
      return memory && explain(memory, system, pod, registry.clock.nowMs());
    },
    of: (of, kind) => {
      depth += 1;
      try {
        return reasonOf(of, kind, context, depth);
      } finally {
        depth -= 1;
      }
    },
  };
  const tree = context.of(kind, object);
  return { sentence: sentenceOf(tree), tree };
}

/** Names the object, and the first of its causes that has no other below it. */
function sentenceOf(tree: Reason): string {
  const chain = [tree];
  // The message of a pod that no node takes tells of all nodes; events and conditions are evidence, and no further causes.
  for (let next = tree.reasons?.[0]; next && !evidence.test(next.what); next = next.reasons?.[0]) chain.push(next);
  const [cause = tree, parent = tree] = chain.toReversed();
  const of = cause.what.startsWith("container ") && parent !== tree ? `${parent.what}, ` : "";
  const end = cause === tree ? "" : `; ${of}${cause.what}: ${cause.because}`;
  return `${`${tree.what} ${verbs[tree.state]}: ${tree.because}${end}`.replace(/\.$/, "")}.`;
}

const evidence = /^(node|event|condition) /;
const verbs = { fine: "is fine", waits: "waits", fails: "fails" } as const;

function reasonOf(kind: Kind, object: KubeObject, context: WhyContext, depth: number): Reason {
  const what = `${kind.kind} ${nameOf(object)}`;
  const see = describe(kind, object);
  const explain = explains.get(kind.resource) ?? (whyObject satisfies Explain);
  // The table has the function of the kind that the object is of.
  const ownReasons = explain(object as never, context);
  const deleted = kind.resource === namespaces.resource ? undefined : whyDeleted(object);
  const reasons = depth >= limits.whyDepth ? undefined : ownReasons.reasons?.slice(0, limits.whyReasons);
  return {
    what,
    see,
    ...ownReasons,
    ...deleted,
    ...(reasons && reasons.length > 0 ? { reasons } : { reasons: undefined }),
  };
}

/** Finds a kind as kubectl does: by its plural, its singular or a short name, which may have its group after it. */
function kindNamed(kinds: readonly Kind[], text: string): Kind {
  const [word = "", ...rest] = text.toLowerCase().split(".");
  const group = rest.join(".");
  const isNamed = (kind: Kind) =>
    (kind.plural === word || kind.singular === word || kind.shortNames.includes(word)) &&
    (group === "" || kind.group === group) &&
    kind.verbs.includes("get");
  const kind = kinds.find(isNamed);
  if (!kind) throw new ApiError(404, "NotFound", `the cluster has no resource ${JSON.stringify(text)}`);
  return storedKind(kind);
}
