// The JavaScript client's APIs under one identity, speaking JSON or, as Go's clients do, protobuf for all that has that form.
import {
  ApiException,
  AppsV1Api,
  CoordinationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  EventsV1Api,
  KubeConfig,
  createConfiguration,
  ServerConfiguration,
  type RequestContext,
  type ResponseContext,
} from "@kubernetes/client-node";
import { must } from "../../../shared/base/assert.ts";
import { decode } from "../../../shared/schema/decode.ts";
import { decodeEnvelope, decodeProtobuf } from "../../../shared/schema/protobuf/protobuf.ts";
import { protobufType, toProtobuf } from "../../../shared/schema/protobuf/protobuf-object.ts";

export type Dialect = "json" | "protobuf";

export type Clients = ReturnType<typeof clientsFor>;

export function clientsFor(config: KubeConfig, dialect: Dialect) {
  const builtIn = createConfiguration({
    baseServer: new ServerConfiguration(must(config.getCurrentCluster(), "a cluster").server, {}),
    authMethods: { default: config },
    promiseMiddleware: dialect === "protobuf" ? [{ pre: askInProtobuf, post: readProtobuf }] : [],
  });
  return {
    config,
    apps: new AppsV1Api(builtIn),
    core: new CoreV1Api(builtIn),
    events: new EventsV1Api(builtIn),
    leases: new CoordinationV1Api(builtIn),
    // Custom objects have no protobuf form.
    custom: config.makeApiClient(CustomObjectsApi),
  };
}

/** The same cluster under another bearer token. */
export function identity(config: KubeConfig, token: string): KubeConfig {
  const ownConfig = new KubeConfig();
  ownConfig.loadFromClusterAndUser(must(config.getCurrentCluster(), "a cluster"), { name: "operator", token });
  return ownConfig;
}

/** The HTTP status that an API call failed with. */
export async function codeOf(call: Promise<unknown>): Promise<number> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ApiException) return error.code;
    throw error;
  }
  return 200;
}

const protobuf = "application/vnd.kubernetes.protobuf";

async function askInProtobuf(request: RequestContext): Promise<RequestContext> {
  request.setHeaderParam("Accept", `${protobuf},application/json`);
  const body = request.getBody();
  if (typeof body !== "string" || !request.getHeaders()["Content-Type"]?.startsWith("application/json")) return request;
  const named = JSON.parse(body) as { apiVersion: string; kind: string };
  const type = protobufType(named.apiVersion, named.kind).name;
  // The generated client declares texts alone and hands on what it is given.
  request.setBody(toProtobuf(decode(type, named).object as object) as unknown as string);
  request.setHeaderParam("Content-Type", protobuf);
  return request;
}

async function readProtobuf(response: ResponseContext): Promise<ResponseContext> {
  if (response.headers["content-type"] !== protobuf) throw new Error(`answered in ${response.headers["content-type"]}`);
  const bytes = new Uint8Array(await new Response(response.body.stream()).arrayBuffer());
  const { apiVersion, kind, raw } = decodeEnvelope(bytes);
  const object = decodeProtobuf(protobufType(apiVersion, kind).name, raw) as object;
  const text = JSON.stringify({ ...object, apiVersion, kind });
  response.headers["content-type"] = "application/json";
  response.body = {
    text: async () => text,
    binary: async () => Buffer.from(text),
    stream: () => new Response(text).body,
  };
  return response;
}
