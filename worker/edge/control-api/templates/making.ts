// What a version of a template begins with: a cluster is made of its parts, its workloads come up, what is to be wrong is done to it, and
// its state is kept. The cluster is gone then.
import { limits } from "../../../../shared/base/limits.ts";
import type { Incident, TemplateParts, TemplateUser } from "../../../../shared/contract/template.ts";
import { toYaml } from "../../../../shared/schema/yaml/write.ts";
import { hashOf } from "../../mac.ts";
import { newSandboxId } from "../../sandbox-id.ts";
import { adminToken } from "../../tokens.ts";
import { ControlError } from "../control-error.ts";
import { untilReady } from "../readiness.ts";
import type { ControlApiServer } from "../server.ts";
import { refusalError, type State, stateOfSandbox } from "../states.ts";

/** Throws 400 that names the part where the cluster refuses it. */
export async function stateOfParts(controlApi: ControlApiServer, parts: TemplateParts): Promise<State> {
  const { nodes, manifests, users, incidents, ...settings } = parts;
  const expiresAtMs = controlApi.nowMs() + limits.sandboxMakingMs;
  const id = await newSandboxId(controlApi.secret, settings);
  const cluster = controlApi.cluster(id);
  const machines = typeof nodes === "number" ? undefined : nodes;
  try {
    const made = await cluster.initialize({
      // Whoever waits here waits for no kubelet; a sandbox of it has the speed that it was given.
      settings: { ...settings, kubeletSpeed: "zero", expiresAtMs },
      nodes: machines?.length ?? Number(nodes),
      manifests: [manifests, ...users.flatMap(bindingOf)].filter(Boolean).join("\n---\n"),
      adminTokenHash: await hashOf(await adminToken(controlApi.secret, id)),
      ...(machines ? { machines } : {}),
    });
    if (!made.ok) throw refusalError(made, made.field);
    await settled(controlApi, id);
    for (const [at, one] of incidents.entries()) await happen(controlApi, id, one, at);
    if (incidents.length > 0) await controlApi.wait(incidentMs);
    return await stateOfSandbox(controlApi, id);
  } finally {
    await cluster.destroy();
  }
}

/** Milliseconds in which controllers and kubelets act on what was done. */
const incidentMs = 1_000;

/** What does not run in time begins as it is. */
async function settled(controlApi: ControlApiServer, id: string): Promise<void> {
  await untilReady(controlApi, id, limits.templateSettleMs / 1000);
}

async function happen(controlApi: ControlApiServer, id: string, incident: Incident, at: number): Promise<void> {
  const { path, ...init } = requestOf(incident);
  const answer = await controlApi.askCluster(id, path, init);
  const said = await answer.text();
  if (answer.ok) return;
  const field = `incidents.${at}`;
  throw new ControlError(400, "invalid_field", `${field}: ${messageIn(said)}`, field);
}

interface ClusterRequest {
  readonly path: string;
  readonly method: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

function requestOf(incident: Incident): ClusterRequest {
  switch (incident.type) {
    case "bad_image":
      return containers(incident, [{ op: "replace", path: `${firstContainer}/image`, value: incident.image }]);
    case "crash_loop":
      return containers(incident, [
        {
          op: "add",
          path: `${firstContainer}/command`,
          value: ["sh", "-c", "echo 'fatal: no configuration found' >&2; exit 1"],
        },
      ]);
    case "scaled":
      return merge(pathOf(incident), { spec: { replicas: incident.replicas } });
    case "cordoned_node":
      return merge(`/api/v1/nodes/${incident.node}`, { spec: { unschedulable: true } });
    case "deleted":
      return { path: incident.path, method: "DELETE" };
    case "patch":
      return merge(incident.path, incident.patch);
  }
}

const firstContainer = "/spec/template/spec/containers/0";
const plurals = { Deployment: "deployments", StatefulSet: "statefulsets", DaemonSet: "daemonsets" } as const;

interface Workload {
  readonly kind: keyof typeof plurals;
  readonly namespace: string;
  readonly name: string;
}

function pathOf({ kind, namespace, name }: Workload): string {
  return `/apis/apps/v1/namespaces/${namespace}/${plurals[kind]}/${name}`;
}

function containers(of: Workload, operations: readonly object[]): ClusterRequest {
  const headers = { "content-type": "application/json-patch+json" };
  return { path: pathOf(of), method: "PATCH", headers, body: JSON.stringify(operations) };
}

function merge(path: string, patch: object): ClusterRequest {
  const headers = { "content-type": "application/merge-patch+json" };
  return { path, method: "PATCH", headers, body: JSON.stringify(patch) };
}

/** Of a Status. */
function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === "string" ? message : text.slice(0, limits.notReadyCharacters);
  } catch {
    return text.slice(0, limits.notReadyCharacters);
  }
}

/** Nothing for who has no role. */
function bindingOf({ user, role, namespace }: TemplateUser, at: number): string[] {
  if (role === undefined) return [];
  const apiGroup = "rbac.authorization.k8s.io";
  const binding = {
    apiVersion: `${apiGroup}/v1`,
    kind: namespace === undefined ? "ClusterRoleBinding" : "RoleBinding",
    metadata: { name: `template-user-${at + 1}`, ...(namespace === undefined ? {} : { namespace }) },
    roleRef: { apiGroup, kind: "ClusterRole", name: role },
    subjects: [{ apiGroup, kind: "User", name: user }],
  };
  return [toYaml(binding)];
}
