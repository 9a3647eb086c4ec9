// The access page: asks for a verb and a resource, and lists every subject that a binding allows to use them.
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "../../../shared/k8s/api/rbac-v1.ts";
import { type Mapping, groupResource } from "../../kubectl/cluster/discovery.ts";
import { type ClusterState, mappingOf } from "../../live/cluster-state.ts";
import { messages } from "../../messages.ts";
import { NamespaceFilter } from "../../view/namespace-filter.tsx";
import { open, useLive } from "../../view/context.ts";
import { Command } from "../command.tsx";
import { kindGroups } from "../kinds.ts";
import { lineOf } from "../run.ts";
import { type AccessObjects, type Grant, impersonationOf, whoCan } from "./who-can.ts";

const verbs = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];
const shownAtMost = 200;

export function AccessPage() {
  const live = useLive();
  const { cluster, namespace, place } = live;
  // The address has no fields of its own for a question: `from` holds the verb, `to` the subresource.
  const verb = place.get("from") || "delete";
  const subresource = place.get("to");
  const resource = place.get("kind") || "pods";
  const mapping = mappingOf(cluster, resource);
  const resourceName = mapping && (subresource ? `${mapping.resource}/${subresource}` : mapping.resource);
  const grants = resourceName
    ? whoCan(
        { verb, group: mapping.group, resource: resourceName, name: "", namespace: namespace.value },
        objectsOf(cluster),
      )
    : [];
  const served = cluster.served.value;
  const kinds = served ? kindGroups(served, true).flatMap((kindGroup) => kindGroup.kinds) : [];
  return (
    <section class="panel list" aria-label={messages.access.title}>
      <div class="tools">
        <h2>{messages.access.title}</h2>
        <select
          aria-label={messages.access.verb}
          value={verb}
          onChange={({ currentTarget }) => place.go({ from: currentTarget.value }, "replace")}
        >
          {verbs.map((verbName) => (
            <option key={verbName}>{verbName}</option>
          ))}
        </select>
        <select
          aria-label={messages.list.kind}
          value={resource}
          onChange={({ currentTarget }) => {
            place.go({ kind: currentTarget.value, to: "" }, "replace");
          }}
        >
          {kinds.map((candidate) => (
            <option key={groupResource(candidate)} value={groupResource(candidate)}>
              {groupResource(candidate)}
            </option>
          ))}
        </select>
        {mapping && mapping.subresources.length > 0 && (
          <select
            aria-label={messages.access.subresource}
            value={subresource}
            onChange={({ currentTarget }) => place.go({ to: currentTarget.value }, "replace")}
          >
            <option value="">{messages.access.itself}</option>
            {mapping.subresources.map((subresourceName) => (
              <option key={subresourceName}>{subresourceName}</option>
            ))}
          </select>
        )}
        <NamespaceFilter />
      </div>
      {mapping && <Grants grants={grants} mapping={mapping} verb={verb} subresource={subresource} />}
    </section>
  );
}

function objectsOf(cluster: ClusterState): AccessObjects {
  const base = "/apis/rbac.authorization.k8s.io/v1";
  return {
    roles: cluster.collection<Role>(`${base}/roles`).all.value,
    clusterRoles: cluster.collection<ClusterRole>(`${base}/clusterroles`).all.value,
    roleBindings: cluster.collection<RoleBinding>(`${base}/rolebindings`).all.value,
    clusterRoleBindings: cluster.collection<ClusterRoleBinding>(`${base}/clusterrolebindings`).all.value,
  };
}

interface GrantsProps {
  readonly grants: readonly Grant[];
  readonly mapping: Mapping;
  readonly verb: string;
  readonly subresource: string;
}

function Grants({ grants, mapping, verb, subresource }: GrantsProps) {
  const live = useLive();
  const namespace = live.namespace.value;
  const [first] = grants;
  const within = mapping.namespaced && namespace ? ["-n", namespace] : [];
  const words = [
    "auth",
    "can-i",
    verb,
    groupResource(mapping),
    ...(subresource ? [`--subresource=${subresource}`] : []),
    ...within,
  ];
  return (
    <>
      {grants.length === 0 && <p class="empty">{messages.access.nobody}</p>}
      {grants.length > 0 && (
        <div class="scroll">
          <table class="wrapping">
            <thead>
              <tr>
                <th scope="col">{messages.access.subject}</th>
                <th scope="col">{messages.access.where}</th>
                <th scope="col">{messages.access.by}</th>
                <th scope="col">{messages.access.role}</th>
              </tr>
            </thead>
            <tbody>
              {grants.slice(0, shownAtMost).map((grant) => (
                <GrantRow key={keyOf(grant)} grant={grant} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {grants.length > shownAtMost && <p class="empty">{messages.access.more(grants.length - shownAtMost)}</p>}
      <div class="text-pane">
        <p class="muted">{messages.access.masters}</p>
        <Command line={lineOf([...words, ...(first ? impersonationOf(first.subject) : ["--as=jane"])])} />
      </div>
    </>
  );
}

function keyOf({ subject, binding }: Grant): string {
  return `${binding.metadata.uid ?? ""} ${subject.kind} ${subject.namespace ?? ""} ${subject.name}`;
}

function GrantRow({ grant: { subject, binding, roleKind, roleName, namespace, names } }: { readonly grant: Grant }) {
  const live = useLive();
  const group = "rbac.authorization.k8s.io";
  const bound = namespace ? `rolebindings.${group}` : `clusterrolebindings.${group}`;
  const isNamespaced = roleKind === "Role";
  const role = isNamespaced ? `roles.${group}` : `clusterroles.${group}`;
  const go = (resource: string, name: string, within: string) => () =>
    open(live, { resource, name, namespace: within });
  return (
    <tr>
      <th scope="row">
        {subject.kind} {subject.namespace ? `${subject.namespace}/` : ""}
        <strong>{subject.name}</strong>
      </th>
      <td class="whole" data-label={messages.access.where}>
        {namespace || messages.access.everywhere}
        {names.length > 0 && ` (${names.join(", ")})`}
      </td>
      <td data-label={messages.access.by}>
        <button type="button" class="object" onClick={go(bound, binding.metadata.name ?? "", namespace)}>
          <span class="name">{binding.metadata.name}</span>
        </button>
      </td>
      <td data-label={messages.access.role}>
        <button type="button" class="object" onClick={go(role, roleName, isNamespaced ? namespace : "")}>
          <span class="name">{roleName}</span>
        </button>
      </td>
    </tr>
  );
}
