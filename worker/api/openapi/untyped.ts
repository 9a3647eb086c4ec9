// Operations of kinds that definitions brought: as any kind's, without the media types that need a type.
import type { Content, Operation } from "./operations.ts";
import type { PathItem } from "./path-item.ts";

export function untypedPath({ parameters, ...methods }: PathItem): PathItem {
  const operations = Object.entries(methods).map(([method, one]): [string, Operation] => [
    method,
    untypedOperation(one as Operation), // all but the parameters are
  ]);
  return { ...Object.fromEntries(operations), ...(parameters ? { parameters } : {}) };
}

function untypedOperation(operation: Operation): Operation {
  const { requestBody, responses } = operation;
  const answers = Object.entries(responses).map(([code, one]): [string, Operation["responses"][string]] => [
    code,
    one.content ? { ...one, content: untypedContent(one.content) } : one,
  ]);
  return {
    ...operation,
    ...(requestBody ? { requestBody: { ...requestBody, content: untypedContent(requestBody.content) } } : {}),
    responses: Object.fromEntries(answers),
  };
}

function untypedContent(content: Content): Content {
  return Object.fromEntries(Object.entries(content).filter(([type]) => !/protobuf|strategic/.test(type)));
}
