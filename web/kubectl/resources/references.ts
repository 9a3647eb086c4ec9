// References between objects and pod selectors, for transformers that change names and labels.
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import { at, ensure, listAt, objectAt, textOf } from "../object.ts";

/** Returns the path of a workload's pod template. */
export function podTemplatePath({ kind }: JsonObject): string[] | undefined {
  if (kind === "CronJob") return ["spec", "jobTemplate", "spec", "template"];
  const kinds = ["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "ReplicationController"];
  return kinds.includes(textOf(kind)) ? ["spec", "template"] : undefined;
}

export function setSelectorLabels(object: JsonObject, labels: Readonly<Record<string, string>>): void {
  const kind = textOf(object.kind);
  if (kind === "Service" || kind === "ReplicationController") {
    if (at(object, "spec", "selector")) Object.assign(ensure(object, "spec", "selector"), labels);
  } else if (["Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"].includes(kind)) {
    Object.assign(ensure(object, "spec", "selector", "matchLabels"), labels);
  } else if (kind === "NetworkPolicy" || kind === "PodDisruptionBudget") {
    const selector = kind === "NetworkPolicy" ? "podSelector" : "selector";
    if (at(object, "spec", selector)) Object.assign(ensure(object, "spec", selector, "matchLabels"), labels);
  }
}

/** Renames references. `renamed` maps kind and old name (`ConfigMap/settings`) to the new name. */
export function renameReferences(object: JsonObject, renamed: ReadonlyMap<string, string>, namespace: string): void {
  const rename = (kind: string, holder: JsonObject, field: string) => {
    const name = renamed.get(`${kind}/${textOf(holder[field])}`);
    if (name) holder[field] = name;
  };
  const template = podTemplatePath(object) ?? (object.kind === "Pod" ? [] : undefined);
  if (template) renameInPod(objectAt(object, ...template, "spec"), rename);
  const spec = objectAt(object, "spec");
  if (object.kind === "StatefulSet") rename("Service", spec, "serviceName");
  if (object.kind === "HorizontalPodAutoscaler") renameNamed(objectAt(spec, "scaleTargetRef"), rename);
  if (object.kind === "RoleBinding" || object.kind === "ClusterRoleBinding") {
    renameNamed(objectAt(object, "roleRef"), rename);
    for (const subject of listAt(object, "subjects")) {
      const isOurs = renamed.has(`ServiceAccount/${textOf(subject.name)}`);
      renameNamed(subject, rename);
      if (namespace && subject.kind === "ServiceAccount" && (isOurs || subject.name === "default"))
        subject.namespace = namespace;
    }
  }
  if (object.kind !== "Ingress") return;
  for (const rule of [
    ...listAt(spec, "rules").flatMap((rule) => listAt(rule, "http", "paths")),
    { backend: spec.defaultBackend },
  ]) {
    rename("Service", objectAt(rule, "backend", "service"), "name");
  }
  for (const tls of listAt(spec, "tls")) rename("Secret", tls, "secretName");
}

type Rename = (kind: string, holder: JsonObject, field: string) => void;

function renameNamed(reference: JsonObject, rename: Rename): void {
  rename(textOf(reference.kind), reference, "name");
}

function renameInPod(spec: JsonObject, rename: Rename): void {
  rename("ServiceAccount", spec, "serviceAccountName");
  for (const secret of listAt(spec, "imagePullSecrets")) rename("Secret", secret, "name");
  for (const volume of listAt(spec, "volumes")) {
    rename("ConfigMap", objectAt(volume, "configMap"), "name");
    rename("Secret", objectAt(volume, "secret"), "secretName");
    rename("PersistentVolumeClaim", objectAt(volume, "persistentVolumeClaim"), "claimName");
    for (const source of listAt(volume, "projected", "sources")) {
      rename("ConfigMap", objectAt(source, "configMap"), "name");
      rename("Secret", objectAt(source, "secret"), "name");
    }
  }
  for (const container of [...listAt(spec, "containers"), ...listAt(spec, "initContainers")]) {
    for (const from of listAt(container, "envFrom")) {
      rename("ConfigMap", objectAt(from, "configMapRef"), "name");
      rename("Secret", objectAt(from, "secretRef"), "name");
    }
    for (const { valueFrom } of listAt(container, "env")) {
      rename("ConfigMap", objectAt(valueFrom, "configMapKeyRef"), "name");
      rename("Secret", objectAt(valueFrom, "secretKeyRef"), "name");
    }
  }
}
