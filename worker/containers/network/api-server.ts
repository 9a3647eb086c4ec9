// What the API says to a container that asks it: what its service account may read. Nothing is written from there.
import { limits } from "../../../shared/base/limits.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { UserInfo } from "../../../shared/k8s/authorizer.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import type { ClusterView } from "../run/world.ts";
import type { ServerAnswer, PortRequest } from "../../../shared/k8s/port-request.ts";

type Client = ReconcileContext["client"];

/** As the volume of a pod asks for its token. */
const tokenSeconds = 3607;

export function apiAnswer(
  client: Client,
  view: ClusterView,
  pod: Pod,
  { method, path, headers }: PortRequest,
  pays: (units: number) => void = () => undefined,
): ServerAnswer {
  const [bare = "/"] = path.split("?");
  const user = userOf(view, pod, headers.find(([name]) => name.toLowerCase() === "authorization")?.[1]);
  if (!user) return failed(401, "Unauthorized", "Unauthorized");
  if (method !== "GET" && method !== "HEAD") {
    return failed(501, "NotImplemented", "what runs in a simulated container can read the API, and not change it");
  }
  const found = /^\/(?:api\/(v1)|apis\/([^/]+\/[^/]+))\/(?:namespaces\/([^/]+)\/)?([^/]+)(?:\/([^/]+))?\/?$/.exec(bare);
  if (!found) return ofPath(client, user, bare);
  const [, core, grouped = "", namespace = "", plural = "", name = ""] = found;
  try {
    return ofResource(client, user, { version: core ?? grouped, namespace, plural, name }, pays);
  } catch (error) {
    // As anybody else would be told, whose objects cannot be converted, say.
    if (error instanceof ApiError) return shown(error.code, error.toStatus());
    throw error;
  }
}

/** What reading one object costs, and one letter of it. */
const objectWork = 5;
const letterWork = 1 / 64;

/** Whose token the pod sends; undefined for one that is not its own. */
export function userOf(view: ClusterView, pod: Pod, authorization: string | undefined): UserInfo | undefined {
  if (authorization === undefined) return { name: "system:anonymous", groups: ["system:unauthenticated"] };
  if (authorization !== `Bearer ${view.token(pod, { expirationSeconds: tokenSeconds })}`) return undefined;
  const { namespace = "" } = pod.metadata;
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
  return { name: `system:serviceaccount:${namespace}:${pod.spec.serviceAccountName ?? "default"}`, groups };
}

function ofPath(client: Client, user: UserInfo, path: string): ServerAnswer {
  const attributes = {
    isResource: false,
    verb: "get",
    group: "",
    plural: "",
    subresource: "",
    namespace: "",
    name: "",
    path,
  };
  if (!client.decide(user, attributes).allowed) {
    return failed(
      403,
      "Forbidden",
      `forbidden: User ${JSON.stringify(user.name)} cannot get path ${JSON.stringify(path)}`,
    );
  }
  if (/^\/(healthz|livez|readyz)$/.test(path))
    return { status: 200, contentType: "text/plain; charset=utf-8", body: "ok" };
  if (path === "/.well-known/openid-configuration") return shown(200, discovery);
  if (path === "/version")
    return shown(200, { major: "1", minor: "36", gitVersion: "v1.36.0", platform: "linux/amd64" });
  if (/^\/api\/?$/.test(path))
    return shown(200, { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [] });
  return failed(404, "NotFound", "the server could not find the requested resource");
}

const issuer = "https://kubernetes.default.svc.cluster.local";
const discovery = {
  issuer,
  jwks_uri: `${issuer}/openid/v1/jwks`,
  response_types_supported: ["id_token"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["ES256"],
};

interface Wanted {
  readonly version: string;
  readonly namespace: string;
  readonly plural: string;
  readonly name: string;
}

function ofResource(
  client: Client,
  user: UserInfo,
  { version, namespace, plural, name }: Wanted,
  pays: (units: number) => void,
): ServerAnswer {
  const group = version.includes("/") ? (version.split("/")[0] ?? "") : "";
  const verb = name === "" ? "list" : "get";
  const attributes = { isResource: true, verb, group, plural, subresource: "", namespace, name, path: "" };
  const shownName = name === "" ? "" : ` ${JSON.stringify(name)}`;
  const resource = group === "" ? plural : `${plural}.${group}`;
  if (!client.decide(user, attributes).allowed) {
    const where = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
    const why = `User ${JSON.stringify(user.name)} cannot ${verb} resource ${JSON.stringify(plural)} in API group ${JSON.stringify(group)} ${where}`;
    return failed(403, "Forbidden", `${resource}${shownName} is forbidden: ${why}`);
  }
  const kind = client.kindAt(version, plural);
  if (!kind) return failed(404, "NotFound", "the server could not find the requested resource");
  if (name !== "") {
    const object = client.get(kind, namespace, name);
    return object ? shown(200, object) : failed(404, "NotFound", `${resource}${shownName} not found`);
  }
  const items: object[] = [];
  let letters = 0;
  for (const { apiVersion: _a, kind: _k, ...one } of client.each(kind, namespace === "" ? {} : { namespace })) {
    const own = JSON.stringify(one).length;
    pays(objectWork + own * letterWork);
    letters += own;
    if (letters > limits.containerListBytes) return failed(413, "RequestEntityTooLarge", tooLong);
    items.push(one);
  }
  return shown(200, { kind: `${kind.kind}List`, apiVersion: version, metadata: {}, items });
}

const tooLong = "what runs in a simulated container is shown no list that is longer than a megabyte";

function failed(code: number, reason: string, message: string): ServerAnswer {
  return shown(code, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code });
}

/** As the API writes it for curl and wget. */
function shown(status: number, value: object): ServerAnswer {
  return { status, contentType: "application/json", body: `${JSON.stringify(value, null, 2)}\n` };
}
