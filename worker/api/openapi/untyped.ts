// Adapts operations for custom kinds: without media types that need a Go type, and with the differences of upstream's own builder for them.
import type { GroupVersionKind } from "../../../shared/schema/openapi/facts.ts";
import type { Content, Operation } from "./operations.ts";
import { listParameters, type Parameter } from "./parameters.ts";
import type { PathItem } from "./path-item.ts";

const revision = listParameters.filter(({ name }) => name === "resourceVersion");

/** Adapts a path. Its subresources also have the kind of the parent. */
export function untypedPath({ parameters, ...methods }: PathItem, kind: GroupVersionKind): PathItem {
  // All fields but the parameters are operations.
  const methodOperations = Object.entries(methods) as [string, Operation][];
  const list = methodOperations.find(([, operation]) => operation["x-kubernetes-action"] === "list")?.[1];
  const operations = methodOperations.map(([method, operation]): [string, Operation] => [
    method,
    { ...untypedOperation(operation, list), "x-kubernetes-group-version-kind": kind },
  ]);
  return { ...Object.fromEntries(operations), ...(parameters ? { parameters } : {}) };
}

function untypedOperation(operation: Operation, list: Operation | undefined): Operation {
  const { requestBody, responses, parameters, ...rest } = operation;
  const action = rest["x-kubernetes-action"];
  const isOfMany = action === "deletecollection";
  const methodParameters = parametersOf(action, parameters, list);
  const answers = Object.entries(responses)
    .filter(([code]) => action !== "patch" || code !== "201")
    .map(([code, response]): [string, Operation["responses"][string]] => [
      code,
      response.content ? { ...response, content: untypedContent(response.content) } : response,
    ]);
  return {
    ...rest,
    description: action === "list" ? rest.description.replace("list or watch", "list") : rest.description,
    ...(methodParameters.length > 0 ? { parameters: methodParameters } : {}),
    ...(requestBody && !isOfMany
      ? { requestBody: { ...requestBody, content: untypedContent(requestBody.content) } }
      : {}),
    responses: Object.fromEntries(answers),
  };
}

/** Returns the parameters. A DELETE of a collection has the selection parameters of the list. */
function parametersOf(
  action: string | undefined,
  ownParameters: readonly Parameter[] = [],
  list: Operation | undefined,
) {
  if (action === "deletecollection") return list?.parameters ?? [];
  return action === "get" ? [...ownParameters, ...revision] : ownParameters;
}

function untypedContent(content: Content): Content {
  const any = content["*/*"];
  if (any) return { "application/json": any, "application/yaml": any };
  return Object.fromEntries(Object.entries(content).filter(([type]) => !/protobuf|strategic|stream=/.test(type)));
}
