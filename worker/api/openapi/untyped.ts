// Operations of kinds that definitions brought: as any kind's, without the media types that need a type, and with what upstream's
// own builder of their documents tells otherwise.
import type { GroupVersionKind } from "../../../shared/schema/openapi/facts.ts";
import type { Content, Operation } from "./operations.ts";
import { listParameters, type Parameter } from "./parameters.ts";
import type { PathItem } from "./path-item.ts";

const revision = listParameters.filter(({ name }) => name === "resourceVersion");

/** Also of subresources it is told that they are of this kind. */
export function untypedPath({ parameters, ...methods }: PathItem, kind: GroupVersionKind): PathItem {
  // All but the parameters are operations.
  const given = Object.entries(methods) as [string, Operation][];
  const list = given.find(([, one]) => one["x-kubernetes-action"] === "list")?.[1];
  const operations = given.map(([method, one]): [string, Operation] => [
    method,
    { ...untypedOperation(one, list), "x-kubernetes-group-version-kind": kind },
  ]);
  return { ...Object.fromEntries(operations), ...(parameters ? { parameters } : {}) };
}

function untypedOperation(operation: Operation, list: Operation | undefined): Operation {
  const { requestBody, responses, parameters, ...rest } = operation;
  const action = rest["x-kubernetes-action"];
  const isOfMany = action === "deletecollection";
  const own = parametersOf(action, parameters, list);
  const answers = Object.entries(responses)
    .filter(([code]) => action !== "patch" || code !== "201")
    .map(([code, one]): [string, Operation["responses"][string]] => [
      code,
      one.content ? { ...one, content: untypedContent(one.content) } : one,
    ]);
  return {
    ...rest,
    description: action === "list" ? rest.description.replace("list or watch", "list") : rest.description,
    ...(own.length > 0 ? { parameters: own } : {}),
    ...(requestBody && !isOfMany
      ? { requestBody: { ...requestBody, content: untypedContent(requestBody.content) } }
      : {}),
    responses: Object.fromEntries(answers),
  };
}

/** What is deleted together is chosen as what is listed. */
function parametersOf(action: string | undefined, own: readonly Parameter[] = [], list: Operation | undefined) {
  if (action === "deletecollection") return list?.parameters ?? [];
  return action === "get" ? [...own, ...revision] : own;
}

function untypedContent(content: Content): Content {
  const any = content["*/*"];
  if (any) return { "application/json": any, "application/yaml": any };
  return Object.fromEntries(Object.entries(content).filter(([type]) => !/protobuf|strategic|stream=/.test(type)));
}
