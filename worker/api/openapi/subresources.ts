// Builds the paths of a kind's subresources.
import { type GroupVersionKind, typeOfKind } from "../../../shared/schema/openapi/facts.ts";
import { subresourceKind } from "../discovery/resources.ts";
import { capital, type KindContext, withArticle } from "./context.ts";
import { mediaTypes, type Operation, operation } from "./operations.ts";
import {
  nameParameter,
  optionsParameters,
  type Parameter,
  patchParameters,
  pathParameter,
  prettyParameter,
  writeParameters,
} from "./parameters.ts";
import { type PathItem, pathItem } from "./path-item.ts";

/** Returns the path of a subresource that is read and written like an object (status, scale), or connected to (exec, proxy). */
export function subresourcePaths(
  context: KindContext,
  path: string,
  name: string,
  methods: readonly string[],
  place: readonly Parameter[],
): Record<string, PathItem> {
  const { group = context.kind.group, version = context.kind.version, kind } = subresourceKind(context.kind, name);
  const target = { group, version, kind };
  const isOwn = kind === context.kind.kind && group === context.kind.group;
  const type = isOwn ? context.kind.type : typeOfKind(target);
  const parameters = [...place, nameParameter(kind)];
  if ((kind.endsWith("Options") && !isOwn) || !type) {
    const options = `io.k8s.api.core.v1.${kind}`;
    const query = optionsParameters(options);
    const connect = (suffix: string) =>
      Object.fromEntries(methods.map((method) => [method, connectOperation(context, name, method, target, suffix)]));
    const plain = { [path]: pathItem(connect(""), [...parameters, ...query]) };
    if (name !== "proxy") return plain;
    return { ...plain, [`${path}/{path}`]: pathItem(connect("WithPath"), [...parameters, pathParameter, ...query]) };
  }
  const written = methods.map((method): [string, Operation] => [
    method,
    subresourceOperation(context, name, method, target, type),
  ]);
  return { [path]: pathItem(Object.fromEntries(written), parameters) };
}

function connectOperation(
  { prefix, scoped, tag, kind: parent }: KindContext,
  name: string,
  method: string,
  kind: GroupVersionKind,
  suffix: string,
): Operation {
  return operation({
    description: `connect ${method.toUpperCase()} requests to ${name} of ${parent.kind}`,
    operationId: `connect${prefix}${capital(method)}${scoped}${capital(name)}${suffix}`,
    ...{ tag, action: "connect", kind, answers: "text" },
  });
}

function subresourceOperation(
  { prefix, scoped, tag, kind: parent }: KindContext,
  name: string,
  method: string,
  kind: GroupVersionKind,
  type: string,
): Operation {
  const common = { tag, action: method, kind };
  const id = `${prefix}${scoped}${capital(name)}`;
  const of = `of the specified ${parent.kind}`;
  if (method === "post") {
    return operation({
      ...common,
      description: `create ${name} of ${withArticle(parent.kind)}`,
      operationId: `create${id}`,
      parameters: [...writeParameters, prettyParameter],
      ...{ answers: type, takes: type, codes: [200, 201, 202] },
    });
  }
  if (method === "put" || method === "patch") {
    const patch = method === "patch";
    return operation({
      ...common,
      description: `${patch ? "partially update" : "replace"} ${name} ${of}`,
      operationId: `${patch ? "patch" : "replace"}${id}`,
      parameters: [...(patch ? patchParameters : writeParameters), prettyParameter],
      ...{ answers: type, takes: patch ? "patch" : type, codes: [200, 201] },
    });
  }
  const log = name === "log";
  return operation({
    ...common,
    description: `read ${name} ${of}`,
    operationId: `read${id}`,
    parameters: [...(log ? optionsParameters("io.k8s.api.core.v1.PodLogOptions") : []), prettyParameter],
    ...(log ? { answers: "text", produces: [...mediaTypes, "text/plain"].sort() } : { answers: type }),
  });
}
