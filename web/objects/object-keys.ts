// The keys that act on an object: edit it, show its logs, open a shell in it.
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type { ObjectRef } from "../live/reference.ts";
import { type LiveContext, open } from "../view/context.ts";
import { lineOf } from "./run.ts";
import { terminal } from "./terminal.ts";

/** Matches resources whose pods have logs. */
export const kindsWithLogs =
  /^(pods|replicationcontrollers|(deployments|replicasets|statefulsets|daemonsets)\.apps|jobs\.batch)$/;

/** Acts on the object if the key is one of these. Reports whether it did. */
export function actOn(live: LiveContext, of: ObjectRef, key: string): boolean {
  if (key === "e") open(live, of, "yaml");
  else if (key === "l" && kindsWithLogs.test(of.resource)) open(live, of, "logs");
  else if (key === "s" && of.resource === "pods" && terminal.value) openShell(live, of);
  else return false;
  return true;
}

function openShell({ cluster }: LiveContext, { name, namespace }: ObjectRef): void {
  const pod = cluster.pods.all.value.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  terminal.value?.(lineOf(["exec", "-it", name, "-n", namespace, ...containerOf(pod), "--", "sh"]));
}

/** Names the default container of a pod with several, so that kubectl does not print which one it chose. */
function containerOf(pod: Pod | undefined): readonly string[] {
  const named = pod?.metadata.annotations?.["kubectl.kubernetes.io/default-container"] ?? pod?.spec.containers[0]?.name;
  return named === undefined ? [] : ["-c", named];
}
