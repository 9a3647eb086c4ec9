// Passes a request on to the object of its sandbox: only where the id is one of ours and the token may be this sandbox's, so that nothing
// else wakes a cluster.
import type { Secret } from "../../shared/base/secret.ts";
import { internalHeaders } from "../../shared/contract/cluster-object.ts";
import { harden, isHardened } from "../../shared/contract/hardened.ts";
import { unusableObjectIn } from "../../shared/k8s/bounds/unusable-object.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { type SandboxAddress, type ServiceAddress, serverOfSandbox } from "./address.ts";
import { type FindMoved, verifySandboxToken, verifySandboxId } from "./verified-credentials.ts";
import type { ClusterStub } from "./cluster-stub.ts";
import { type CertificateSource, type Credentials, credentialsOf, isUpgrade } from "./credentials.ts";
import { newLifeline } from "./lifeline.ts";
import { followLog, isFollowedLog, isLog } from "./logs/follow.ts";
import { logOverSocket } from "./logs/socket.ts";
import type { SandboxIdFacts } from "./sandbox-id.ts";
import { isSession, openSession } from "./session/bridge.ts";
import type { Node } from "./outside/direct.ts";
import { ownCluster } from "./own-cluster.ts";
import { isElsewhere, relayed, relayHeader } from "./outside/relay.ts";
import { isForward, openForward } from "./session/port-forward.ts";
import { statusResponse } from "./status-response.ts";
import { addressOf } from "./network.ts";
import type { Throttle } from "./service/throttle.ts";
import { tokenEndMs, wasTokenOf } from "./tokens.ts";
import { withoutUpgrade } from "./upgrade-headers.ts";
import type { Holdings } from "./watch/holdings.ts";
import { bridgeWatch } from "./watch/bridge.ts";
import { isWatch } from "./watch/request.ts";

export interface SandboxProxy extends ServiceAddress {
  readonly secret: Secret;
  /** Absent: clients' certificates are not told of. */
  readonly certificates?: CertificateSource | undefined;
  /** Node beside a Worker on a user's machine. */
  readonly node?: Node | undefined;
  /** The memory that watches hold in this isolate. */
  readonly holdings: Holdings;
  /** Whether anything more can be stored; absent where nobody can tell. */
  hasRoom?(): Promise<boolean>;
  /** Finds a sandbox whose id was made by an earlier secret; absent: there are none. */
  readonly findMoved?: FindMoved | undefined;
  /** What failed authentication is counted by. */
  readonly throttle: Throttle;
  cluster(id: string): ClusterStub;
  nowMs(): number;
  report?(error: unknown, where: string): void;
}

/** Who comes with nothing but a certificate hears why that is not enough. */
const noCertificates = "this service is not told of client certificates: send a token";

export async function proxyToSandbox(
  request: Request,
  address: SandboxAddress,
  proxy: SandboxProxy,
): Promise<Response> {
  try {
    const answer = await proxied(request, address, proxy);
    return answer.status === 401 ? await throttled(request, answer, address, proxy) : answer;
  } catch (error) {
    if (error instanceof ApiError) return statusResponse(error, request);
    // Of a disk that is full to the last byte not every error says so.
    if (proxy.hasRoom && !(await proxy.hasRoom())) return statusResponse(ApiError.insufficientStorage(), request);
    proxy.report?.(error, "a request to a sandbox");
    return statusResponse(
      unusableObjectIn(error) ?? ApiError.internal("the sandbox did not answer; try again"),
      request,
    );
  }
}

/** A refusal, unless too many wrong credentials came before it. A token that was this sandbox's once is refused as what it is. */
async function throttled(
  request: Request,
  answer: Response,
  { id }: SandboxAddress,
  { secret, certificates, throttle, nowMs }: SandboxProxy,
): Promise<Response> {
  const { token, certificate } = credentialsOf(request, certificates) ?? { token: "", certificate: undefined };
  if (token === undefined && certificate === undefined) return answer;
  if (token !== undefined && (await wasTokenOf(secret, id, token))) return answer;
  const failure = { address: addressOf(request.headers), credential: token ?? "" };
  const seconds = await throttle.failed(failure, nowMs());
  if (seconds === undefined) return answer;
  await answer.body?.cancel();
  const message = "too many wrong credentials came from there lately, please try again later";
  return statusResponse(ApiError.tooManyRequests(message, seconds), request);
}

async function proxied(request: Request, { id, url }: SandboxAddress, proxy: SandboxProxy): Promise<Response> {
  const { secret, certificates } = proxy;
  // Of what is known no turn is waited for.
  const read = verifySandboxId(secret, id, proxy.findMoved);
  const facts = read instanceof Promise ? await read : read;
  if (!facts) return statusResponse(ApiError.noSuchPath(), request);
  const credentials = credentialsOf(request, certificates);
  const may = credentials !== undefined && mayReachCluster(credentials, facts, id, proxy);
  if (!credentials || !(may instanceof Promise ? await may : may)) {
    const isSilent = credentials?.token === undefined && !certificates;
    return statusResponse(ApiError.unauthorized(), request, isSilent ? noCertificates : undefined);
  }
  const own = ownCluster(() => proxy.cluster(id));
  const first = credentials.isAsSent && isPlain(request, url) ? await own.fetch(request) : undefined;
  if (first && !isElsewhere(first)) return inSandbox(first);
  const { token = "", headers } = credentials;
  asTheClientSaid(request, headers);
  headers.set(internalHeaders.server, serverOfSandbox(proxy, id));
  const leftMs = tokenEndMs(token) - proxy.nowMs();
  const upgrade = isUpgrade(request);
  const { method } = request;
  const outside = relayHeader(url, method, upgrade);
  if (outside) headers.set(internalHeaders.outside, outside);
  const openTo = upgrade ? sessionOf(url) : undefined;
  const isFollowed = isFollowedLog(method, url);
  // The sockets of watches and tunnels are the cluster's own, which ends them itself.
  const isHeld = openTo !== undefined || isFollowed || (outside !== undefined && (upgrade || isWatch(method, url)));
  const lifeline = isHeld ? newLifeline({ url, headers, leftMs, signal: request.signal }, own) : undefined;
  const signal = lifeline?.signal ?? request.signal;
  const near = lifeline?.cluster ?? own;
  const cluster = outside ? relayed(near, { upgrade, method, signal, leftMs, node: proxy.node, first }) : near;
  if (upgrade && isLog(method, url)) {
    const plain = withoutUpgrade(headers);
    const answer = isFollowed
      ? await followLog({ url, headers: plain, signal, leftMs }, cluster)
      : await cluster.fetch(url.href, { headers: plain, redirect: "manual" });
    return inSandbox(logOverSocket(answer, headers, () => lifeline?.release()));
  }
  if (isFollowed) return inSandbox(await followLog({ url, headers, signal, leftMs }, cluster));
  if (openTo && lifeline)
    return inSandbox(await openTo({ url, method, headers, lifeline, nowMs: proxy.nowMs }, cluster));
  if (isWatch(method, url))
    return bridgeWatch(
      { url, headers, upgrade, signal, leftMs, hold: (holder) => proxy.holdings.open(id, holder) },
      cluster,
    );
  return inSandbox(await cluster.fetch(url.href, { method, headers, body: request.body, redirect: "manual" }));
}

/**
 * Whether the cluster alone answers a request, whatever address it was sent to, so that it can be passed on as it is: as most can. What is
 * encoded may be anything.
 */
function isPlain(request: Request, url: URL): boolean {
  const { method } = request;
  if (!/^\/apis?\//.test(url.pathname) || /%|\/proxy/.test(url.pathname)) return false;
  return !isUpgrade(request) && !isWatch(method, url) && !isFollowedLog(method, url);
}

function sessionOf(url: URL): typeof openSession | undefined {
  if (isSession(url)) return openSession;
  return isForward(url) ? openForward : undefined;
}

/** Says nothing of who it is: a certificate, and the tokens of others, are the cluster's to check. */
function mayReachCluster(
  credentials: Credentials,
  { anonymousAccess }: SandboxIdFacts,
  id: string,
  proxy: SandboxProxy,
): boolean | Promise<boolean> {
  const { token, certificate } = credentials;
  if (certificate !== undefined) return true;
  return token === undefined ? anonymousAccess : verifySandboxToken(proxy.secret, id, token, proxy.nowMs());
}

/** The platform puts what it takes itself in the place of what the client takes. */
function asTheClientSaid({ cf }: Request, headers: Headers): void {
  const encoding = cf?.clientAcceptEncoding;
  if (typeof encoding !== "string") return;
  if (encoding) headers.set("accept-encoding", encoding);
  else headers.delete("accept-encoding");
}

/** A cluster's own answers are as they must be already; those of others are not. */
function inSandbox(response: Response): Response {
  if (response.status === 101 || isHardened(response.headers)) return response;
  const own = new Response(response.body, response);
  harden(own.headers);
  return own;
}
