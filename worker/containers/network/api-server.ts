// Answers containers' requests to the API. Reads are authorized for the pod's service account; writes are refused.
import { limits } from "../../../shared/base/limits.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { UserInfo } from "../../../shared/k8s/authorizer.ts";
import type { ReconcileContext } from "../../runtime/controller.ts";
import type { ClusterView } from "../run/world.ts";
import type { ServerAnswer, PortRequest } from "../../../shared/k8s/port-request.ts";

type Client = ReconcileContext["client"];

/** The lifetime of the token that a pod's volume requests. */
const tokenSeconds = 3607;

export function apiAnswer(
  client: Client,
  view: ClusterView,
  pod: Pod,
  { method, path, headers }: PortRequest,
  pays: (units: number) => void = () => undefined,
): ServerAnswer {
  const [pathname = "/"] = path.split("?");
  const authorization = headers.find(([name]) => name.toLowerCase() === "authorization")?.[1];
  const user = userOf(view, pod, authorization);
  const isRefused = authorization === undefined && client.apiServer?.allowsAnonymous() === false;
  if (!user || isRefused) return statusAnswer(401, "Unauthorized", "Unauthorized");
  if (method !== "GET" && method !== "HEAD") {
    return statusAnswer(
      501,
      "NotImplemented",
      "what runs in a simulated container can read the API, and not change it",
    );
  }
  const match = /^\/(?:api\/(v1)|apis\/([^/]+\/[^/]+))\/(?:namespaces\/([^/]+)\/)?([^/]+)(?:\/([^/]+))?\/?$/.exec(
    pathname,
  );
  if (!match) return answerPath(client, user, pathname);
  const [, core, grouped = "", namespace = "", plural = "", name = ""] = match;
  try {
    return answerResource(client, user, { version: core ?? grouped, namespace, plural, name }, pays);
  } catch (error) {
    // An API error, such as a failed conversion of an object, has the status that any client receives.
    if (error instanceof ApiError) return jsonAnswer(error.code, error.toStatus());
    throw error;
  }
}

/** The work of reading one object, and of a character of its JSON. */
const objectWork = 5;
const characterWork = 1 / 64;

/** Returns the user of the pod's token; undefined for a token that is not the pod's own. */
export function userOf(view: ClusterView, pod: Pod, authorization: string | undefined): UserInfo | undefined {
  if (authorization === undefined) return { name: "system:anonymous", groups: ["system:unauthenticated"] };
  if (authorization !== `Bearer ${view.token(pod, { expirationSeconds: tokenSeconds })}`) return undefined;
  const { namespace = "" } = pod.metadata;
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
  return { name: `system:serviceaccount:${namespace}:${pod.spec.serviceAccountName ?? "default"}`, groups };
}

function answerPath(client: Client, user: UserInfo, path: string): ServerAnswer {
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
    return statusAnswer(
      403,
      "Forbidden",
      `forbidden: User ${JSON.stringify(user.name)} cannot get path ${JSON.stringify(path)}`,
    );
  }
  if (/^\/(healthz|livez|readyz)$/.test(path))
    return { status: 200, contentType: "text/plain; charset=utf-8", body: "ok" };
  if (path === "/.well-known/openid-configuration") return jsonAnswer(200, discovery);
  if (path === "/version")
    return jsonAnswer(200, {
      major: "1",
      minor: String(client.release.minor),
      gitVersion: client.release.tag,
      platform: "linux/amd64",
    });
  if (/^\/api\/?$/.test(path))
    return jsonAnswer(200, { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [] });
  return statusAnswer(404, "NotFound", "the server could not find the requested resource");
}

const issuer = "https://kubernetes.default.svc.cluster.local";
const discovery = {
  issuer,
  jwks_uri: `${issuer}/openid/v1/jwks`,
  response_types_supported: ["id_token"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["ES256"],
};

interface ResourcePath {
  readonly version: string;
  readonly namespace: string;
  readonly plural: string;
  readonly name: string;
}

function answerResource(
  client: Client,
  user: UserInfo,
  { version, namespace, plural, name }: ResourcePath,
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
    return statusAnswer(403, "Forbidden", `${resource}${shownName} is forbidden: ${why}`);
  }
  const kind = client.kindAt(version, plural);
  if (!kind) return statusAnswer(404, "NotFound", "the server could not find the requested resource");
  if (name !== "") {
    const object = client.get(kind, namespace, name);
    return object ? jsonAnswer(200, object) : statusAnswer(404, "NotFound", `${resource}${shownName} not found`);
  }
  const items: object[] = [];
  let characters = 0;
  for (const { apiVersion: _a, kind: _k, ...object } of client.each(kind, namespace === "" ? {} : { namespace })) {
    const characterCount = JSON.stringify(object).length;
    pays(objectWork + characterCount * characterWork);
    characters += characterCount;
    if (characters > limits.containerListBytes) return statusAnswer(413, "RequestEntityTooLarge", tooLong);
    items.push(object);
  }
  return jsonAnswer(200, { kind: `${kind.kind}List`, apiVersion: version, metadata: {}, items });
}

const tooLong = "what runs in a simulated container is shown no list that is longer than a megabyte";

function statusAnswer(code: number, reason: string, message: string): ServerAnswer {
  return jsonAnswer(code, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code });
}

/** Formats an object as the API does for curl and wget. */
function jsonAnswer(status: number, value: object): ServerAnswer {
  return { status, contentType: "application/json", body: `${JSON.stringify(value, null, 2)}\n` };
}
