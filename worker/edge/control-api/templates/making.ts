// Builds the initial state of a template version. A temporary cluster is created from the template's parts, its workloads start, the
// incidents happen, and the state is stored.
import { limits } from "../../../../shared/base/limits.ts";
import type { Incident, TemplateParts, TemplateUser } from "../../../../shared/contract/template.ts";
import { toYaml } from "../../../../shared/schema/yaml/write.ts";
import { hashOf } from "../../mac.ts";
import { adminToken } from "../../tokens.ts";
import { ControlError } from "../control-error.ts";
import { untilReady } from "../readiness.ts";
import type { ControlApiServer } from "../server.ts";
import { refusalError, type State, stateOfSandbox } from "../states.ts";

/** Throws 400 and names the part that the cluster refuses. */
export async function stateOfParts(controlApi: ControlApiServer, content: TemplateParts): Promise<State> {
  const { nodes, manifests, users, incidents, ...settings } = content;
  const expiresAtMs = controlApi.nowMs() + limits.sandboxMakingMs;
  const id = await controlApi.newSandboxId(settings);
  const cluster = controlApi.cluster(id);
  const machines = typeof nodes === "number" ? undefined : nodes;
  try {
    const initialization = await cluster.initialize({
      // Building must not wait for kubelets; sandboxes of the template use their own kubelet speed.
      settings: { ...settings, kubeletSpeed: "zero", expiresAtMs },
      nodes: machines?.length ?? Number(nodes),
      manifests: [manifests, ...users.flatMap(bindingOf)].filter(Boolean).join("\n---\n"),
      adminTokenHash: await hashOf(await adminToken(controlApi.secret, id)),
      ...(machines ? { machines } : {}),
    });
    if (!initialization.ok) throw refusalError(initialization, initialization.field);
    await waitForWorkloads(controlApi, id);
    for (const [at, incident] of incidents.entries()) await happen(controlApi, id, incident, at);
    if (incidents.length > 0) await controlApi.wait(incidentMs);
    return await stateOfSandbox(controlApi, id);
  } finally {
    await cluster.destroy();
  }
}

/** The milliseconds in which controllers and kubelets react to the incidents. */
const incidentMs = 1_000;

/** Waits until the workloads run. If they do not in time, the state contains them as they are. */
async function waitForWorkloads(controlApi: ControlApiServer, id: string): Promise<void> {
  await untilReady(controlApi, id, limits.templateSettleMs / 1000);
}

async function happen(controlApi: ControlApiServer, id: string, incident: Incident, at: number): Promise<void> {
  const { path, ...init } = requestOf(incident);
  const answer = await controlApi.askCluster(id, path, init);
  const responseText = await answer.text();
  if (answer.ok) return;
  const field = `incidents.${at}`;
  throw new ControlError(400, "invalid_field", `${field}: ${messageIn(responseText)}`, field);
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

/** Returns the message of a Status. */
function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === "string" ? message : text.slice(0, limits.notReadyCharacters);
  } catch {
    return text.slice(0, limits.notReadyCharacters);
  }
}

/** Returns no binding for a user without a role. */
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
