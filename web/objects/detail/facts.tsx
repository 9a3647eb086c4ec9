// The labels of an object, and its most important fields by kind.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { type JsonObject, isObject } from "../../../shared/schema/json-values.ts";
import { type Mapping, groupResource } from "../../kubectl/cluster/discovery.ts";
import { at, listAt, textOf } from "../../kubectl/object.ts";
import { messages } from "../../messages.ts";
import { useLive } from "../../view/context.ts";
import { useState } from "preact/hooks";

const words = messages.facts;

/** Paths below an object, by resource. Missing fields are left out. */
const fields: Readonly<Record<string, readonly (readonly [string, readonly string[]])[]>> = {
  pods: [
    [words.node, ["spec", "nodeName"]],
    [words.ip, ["status", "podIP"]],
    [words.qos, ["status", "qosClass"]],
    [words.account, ["spec", "serviceAccountName"]],
    [words.restartPolicy, ["spec", "restartPolicy"]],
  ],
  "deployments.apps": [
    [words.replicas, ["spec", "replicas"]],
    [words.available, ["status", "availableReplicas"]],
    [words.updated, ["status", "updatedReplicas"]],
    [words.strategy, ["spec", "strategy", "type"]],
  ],
  "statefulsets.apps": [
    [words.replicas, ["spec", "replicas"]],
    [words.ready, ["status", "readyReplicas"]],
    [words.service, ["spec", "serviceName"]],
  ],
  services: [
    [words.type, ["spec", "type"]],
    [words.clusterIp, ["spec", "clusterIP"]],
    [words.affinity, ["spec", "sessionAffinity"]],
  ],
  "cronjobs.batch": [
    [words.schedule, ["spec", "schedule"]],
    [words.timeZone, ["spec", "timeZone"]],
    [words.lastRun, ["status", "lastScheduleTime"]],
  ],
  persistentvolumeclaims: [
    [words.phase, ["status", "phase"]],
    [words.volume, ["spec", "volumeName"]],
    [words.storageClass, ["spec", "storageClassName"]],
  ],
};

export function Facts({ mapping, object }: { readonly mapping: Mapping; readonly object: KubeObject }) {
  const json = object as unknown as JsonObject; // the API's objects are JSON
  const resource = groupResource(mapping);
  const all = (fields[resource] ?? []).flatMap(([name, path]): [string, string][] => {
    const value = at(json, ...path);
    return typeof value === "string" || typeof value === "number" ? [[name, String(value)]] : [];
  });
  const ports = listAt(json, "spec", "ports").map((port) => portText(port));
  const labels = Object.entries(object.metadata.labels ?? {});
  return (
    <>
      {(all.length > 0 || ports.length > 0) && (
        <dl class="fields">
          {all.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
          {ports.length > 0 && (
            <div>
              <dt>{words.ports}</dt>
              <dd>{ports.join(", ")}</dd>
            </div>
          )}
        </dl>
      )}
      {labels.length > 0 && <Labels resource={resource} labels={labels} />}
      {(resource === "configmaps" || resource === "secrets") && (
        <Data key={object.metadata.uid} isSecret={resource === "secrets"} data={at(json, "data")} />
      )}
    </>
  );
}

function portText({ port, targetPort, nodePort, protocol }: JsonObject): string {
  const number = (value: unknown) => (typeof value === "number" ? String(value) : textOf(value));
  const node = nodePort ? `:${number(nodePort)}` : "";
  const target = targetPort !== undefined && targetPort !== port ? ` → ${number(targetPort)}` : "";
  return `${number(port)}${node}/${textOf(protocol) || "TCP"}${target}`;
}

/** The labels. Each links to all objects of the kind that have it. */
function Labels({
  resource,
  labels,
}: {
  readonly resource: string;
  readonly labels: readonly (readonly [string, string])[];
}) {
  const { place } = useLive();
  return (
    <ul class="labels" aria-label={messages.detail.labels}>
      {labels.map(([key, value]) => (
        <li key={key}>
          <button
            type="button"
            class="label"
            onClick={() => place.go({ tab: "objects", kind: resource, q: `${key}=${value}` })}
          >
            {key}={value}
          </button>
        </li>
      ))}
    </ul>
  );
}

function Data({ isSecret, data }: { readonly isSecret: boolean; readonly data: unknown }) {
  const [isShown, show] = useState(!isSecret);
  const entries = isObject(data) ? Object.entries(data) : [];
  if (entries.length === 0) return <p class="empty">{messages.detail.noData}</p>;
  return (
    <>
      <div class="titled">
        <h3>{messages.detail.data}</h3>
        {isSecret && (
          <button type="button" class="quiet" aria-pressed={isShown} onClick={() => show(!isShown)}>
            {isShown ? messages.detail.hide : messages.detail.reveal}
          </button>
        )}
      </div>
      <dl class="data">
        {entries.map(([key, value]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>
              <pre>{!isShown ? "••••••" : isSecret ? decoded(textOf(value)) : textOf(value)}</pre>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function decoded(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
  } catch {
    return base64;
  }
}
