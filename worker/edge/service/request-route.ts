// The labels of a request to a sandbox in metrics: its resource and its verb. Their number is bounded, because anybody can request any path.
import { isWatch } from "../watch/request.ts";

const resources = new Set(
  `bindings componentstatuses configmaps endpoints events limitranges namespaces nodes persistentvolumeclaims persistentvolumes pods
  podtemplates replicationcontrollers resourcequotas secrets serviceaccounts services mutatingwebhookconfigurations
  validatingadmissionpolicies validatingadmissionpolicybindings validatingwebhookconfigurations mutatingadmissionpolicies
  mutatingadmissionpolicybindings customresourcedefinitions apiservices controllerrevisions daemonsets deployments replicasets statefulsets
  tokenreviews selfsubjectreviews localsubjectaccessreviews selfsubjectaccessreviews selfsubjectrulesreviews subjectaccessreviews
  horizontalpodautoscalers cronjobs jobs certificatesigningrequests clustertrustbundles leases leasecandidates endpointslices flowschemas
  prioritylevelconfigurations ingressclasses ingresses ipaddresses networkpolicies servicecidrs runtimeclasses poddisruptionbudgets
  clusterrolebindings clusterroles rolebindings roles deviceclasses resourceclaims resourceclaimtemplates resourceslices priorityclasses
  csidrivers csinodes csistoragecapacities storageclasses volumeattachments volumeattributesclasses`.split(/\s+/),
);
const verbs: Readonly<Record<string, string>> = { POST: "create", PUT: "update", PATCH: "patch" };

/** Returns the resource, with `/` and a subresource, and the verb as in an audit event. */
export function requestRoute(method: string, url: URL): readonly [route: string, verb: string] {
  const [, root = "", ...rest] = url.pathname.split("/");
  if (root !== "api" && root !== "apis") return ["other", method === "GET" ? "get" : "other"];
  const segments = rest.slice(root === "api" ? 1 : 2);
  const isLegacyWatch = segments[0] === "watch";
  if (isLegacyWatch) segments.shift();
  const isNamespaced =
    segments[0] === "namespaces" && segments.length > 2 && segments[2] !== "status" && segments[2] !== "finalize";
  const [resource = "", name = "", subresource = ""] = isNamespaced ? segments.slice(2) : segments;
  if (resource === "") return ["discovery", "get"];
  const route = resources.has(resource) ? resource : "custom";
  return [subresource === "" ? route : `${route}/*`, verbOf(method, url, name !== "", isLegacyWatch)];
}

function verbOf(method: string, url: URL, hasName: boolean, isLegacyWatch: boolean): string {
  if (method === "GET") return isLegacyWatch || isWatch(method, url) ? "watch" : hasName ? "get" : "list";
  if (method === "DELETE") return hasName ? "delete" : "deletecollection";
  return verbs[method] ?? "other";
}
