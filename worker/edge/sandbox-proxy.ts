// Authenticates a request at the edge and forwards it to the Durable Object of its sandbox. A request with an unknown sandbox id, or with a
// token of another sandbox, is refused here and never wakes a cluster.
import type { Secret } from "../../shared/base/secret.ts";
import { internalHeaders } from "../../shared/contract/cluster-object.ts";
import { unusableObjectIn } from "../../shared/k8s/bounds/unusable-object.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { type SandboxAddress, type ServiceAddress, serverOfSandbox } from "./address.ts";
import { type FindMoved, verifySandboxToken, verifySandboxId } from "./verified-credentials.ts";
import type { ClusterStub } from "./cluster-stub.ts";
import { type CertificateSource, type Credentials, credentialsOf, isUpgrade } from "./credentials.ts";
import { newLifeline } from "./lifeline.ts";
import { isFollowedLog } from "./logs/follow.ts";
import type { SandboxIdFacts } from "./sandbox-id.ts";
import type { LocalNode } from "./outside/direct.ts";
import { ownCluster } from "./own-cluster.ts";
import { hasDirections, relayed, relayHeader } from "./outside/relay.ts";
import { type AuthenticatedRequest, hardenResponse, requestKindOf } from "./request-kinds.ts";
import { statusResponse } from "./status-response.ts";
import { addressOf } from "./network.ts";
import type { Throttle } from "./service/throttle.ts";
import { tokenEndMs, wasTokenOf } from "./tokens.ts";
import type { Holdings } from "./watch/holdings.ts";
import { isWatch } from "./watch/request.ts";

/** `server` is empty for the origin of each request. */
export interface SandboxProxyOptions extends ServiceAddress {
  readonly secret: Secret;
  /** Reads verified client certificates. Undefined if the service does not receive them. */
  readonly certificates?: CertificateSource | undefined;
  /** The Node.js process beside the Worker on a user's machine. */
  readonly node?: LocalNode | undefined;
  /** The memory that watches hold in this isolate. */
  readonly holdings: Holdings;
  /** Reports whether the disk has free space. Undefined if the platform does not expose it. */
  hasFreeSpace?(): Promise<boolean>;
  /** Finds a sandbox whose id was made with a retired secret. Undefined if the secret never changed. */
  readonly findMoved?: FindMoved | undefined;
  /** Counts failed authentication. */
  readonly throttle: Throttle;
  cluster(id: string): ClusterStub;
  nowMs(): number;
  report?(error: unknown, where: string): void;
}

/** Explains a 401 to a client that sent only a certificate. */
const certificatesUnsupported = "this service does not receive client certificates; send a bearer token";

export async function proxyToSandbox(
  request: Request,
  address: SandboxAddress,
  proxy: SandboxProxyOptions,
): Promise<Response> {
  try {
    const answer = await proxied(request, address, proxy);
    if (answer.headers.has(internalHeaders.cut)) return brokenResponse();
    return answer.status === 401 ? await throttled(request, answer, address, proxy) : answer;
  } catch (error) {
    if (error instanceof ApiError) return statusResponse(error, request);
    // SQLite reports a full disk under several codes, so check the free space before answering 500.
    if (proxy.hasFreeSpace && !(await proxy.hasFreeSpace()))
      return statusResponse(ApiError.insufficientStorage(), request);
    proxy.report?.(error, "a request to a sandbox");
    return statusResponse(
      unusableObjectIn(error) ?? ApiError.internal("the sandbox did not answer; try again"),
      request,
    );
  }
}

/** Returns a response whose body breaks off before its announced length, at which the platform cuts the client's connection. */
function brokenResponse(): Response {
  const { readable, writable } = new FixedLengthStream(1);
  writable.abort("an injected fault").catch(() => undefined);
  return new Response(readable, { headers: { "content-type": "application/json" } });
}

/** Counts a refused credential and answers 429 after too many. A revoked or expired token of this sandbox is refused without counting. */
async function throttled(
  request: Request,
  answer: Response,
  { id }: SandboxAddress,
  { secret, certificates, throttle, nowMs }: SandboxProxyOptions,
): Promise<Response> {
  const { token, certificate } = credentialsOf(request, certificates) ?? { token: "", certificate: undefined };
  if (token === undefined && certificate === undefined) return answer;
  if (token !== undefined && (await wasTokenOf(secret, id, token))) return answer;
  const failure = { address: addressOf(request.headers), credential: token ?? "" };
  const seconds = await throttle.failed(failure, nowMs());
  if (seconds === undefined) return answer;
  await answer.body?.cancel();
  const message = "too many failed authentication attempts, please try again later";
  return statusResponse(ApiError.tooManyRequests(message, seconds), request);
}

async function proxied(request: Request, address: SandboxAddress, proxy: SandboxProxyOptions): Promise<Response> {
  const { id, url } = address;
  // Cached ids are verified synchronously, which saves a microtask for each request.
  const verified = verifySandboxId(proxy.secret, id, proxy.findMoved);
  const facts = verified instanceof Promise ? await verified : verified;
  if (!facts) return statusResponse(ApiError.noSuchPath(), request);
  const credentials = credentialsOf(request, proxy.certificates);
  const isAuthorized = credentials !== undefined && canReachCluster(credentials, facts, id, proxy);
  if (!credentials || !(isAuthorized instanceof Promise ? await isAuthorized : isAuthorized)) {
    const isSilent = credentials?.token === undefined && !proxy.certificates;
    return statusResponse(ApiError.unauthorized(), request, isSilent ? certificatesUnsupported : undefined);
  }
  const cluster = ownCluster(() => proxy.cluster(id));
  const first = credentials.isAsSent && isPlain(request, url) ? await cluster.fetch(request) : undefined;
  if (first && !hasDirections(first)) return hardenResponse(first);
  return dispatch({ request, address, credentials, cluster, first }, proxy);
}

/** A request whose credentials were accepted. */
interface Admission {
  readonly request: Request;
  readonly address: SandboxAddress;
  readonly credentials: Credentials;
  readonly cluster: ClusterStub;
  /** The directions of the cluster, if the request was forwarded unchanged. */
  readonly first: Response | undefined;
}

/** Forwards a request by the handler of its kind. */
function dispatch(
  { request, address: { id, url }, credentials, cluster: ownedCluster, first }: Admission,
  proxy: SandboxProxyOptions,
): Promise<Response> {
  const { token = "", headers } = credentials;
  const { method, body } = request;
  restoreAcceptEncoding(request, headers);
  const server = proxy.server || url.origin;
  headers.set(internalHeaders.server, serverOfSandbox({ server, domain: proxy.domain }, id));
  const leftMs = tokenEndMs(token) - proxy.nowMs();
  const upgrade = isUpgrade(request);
  const outside = relayHeader(url, method, upgrade);
  if (outside) headers.set(internalHeaders.outside, outside);
  const kind = requestKindOf({ method, url, upgrade });
  // The edge carries the responses of outside servers itself, so it holds their sockets and watches.
  const isHeld = kind.isHeld || outside === "upgrade" || (outside !== undefined && isWatch(method, url));
  const lifeline = isHeld ? newLifeline({ url, headers, leftMs, signal: request.signal }, ownedCluster) : undefined;
  const signal = lifeline?.signal ?? request.signal;
  const near = lifeline?.cluster ?? ownedCluster;
  const cluster = outside ? relayed(near, { upgrade, method, signal, leftMs, node: proxy.node, first }) : near;
  const openHolding: AuthenticatedRequest["openHolding"] = (holder) => proxy.holdings.open(id, holder);
  const { nowMs } = proxy;
  return kind.handle({ method, url, upgrade, headers, body, signal, leftMs, lifeline, nowMs, openHolding }, cluster);
}

/**
 * Reports whether the cluster answers the request alone, so that it can be forwarded unchanged. A path with encoded characters may be
 * anything.
 */
function isPlain(request: Request, url: URL): boolean {
  const { method } = request;
  if (!/^\/apis?\//.test(url.pathname) || /%|\/proxy/.test(url.pathname)) return false;
  return !isUpgrade(request) && !isWatch(method, url) && !isFollowedLog(method, url);
}

/** Verifies only that the token belongs to this sandbox. Certificates and foreign tokens are verified by the cluster. */
function canReachCluster(
  credentials: Credentials,
  { anonymousAccess }: SandboxIdFacts,
  id: string,
  proxy: SandboxProxyOptions,
): boolean | Promise<boolean> {
  const { token, certificate } = credentials;
  if (certificate !== undefined) return true;
  return token === undefined ? anonymousAccess : verifySandboxToken(proxy.secret, id, token, proxy.nowMs());
}

/** Restores the client's `Accept-Encoding`, which the platform replaces with its own. */
function restoreAcceptEncoding({ cf }: Request, headers: Headers): void {
  const encoding = cf?.clientAcceptEncoding;
  if (typeof encoding !== "string") return;
  if (encoding) headers.set("accept-encoding", encoding);
  else headers.delete("accept-encoding");
}
