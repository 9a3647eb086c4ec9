// Builds one path of the OpenAPI documents: its operations by method, and their shared parameters.
import type { Operation } from "./operations.ts";
import type { Parameter } from "./parameters.ts";

export interface PathItem {
  parameters?: readonly Parameter[];
  [method: string]: Operation | readonly Parameter[] | undefined;
}

/** Moves the parameters that all operations share to the path, as upstream's builder does. */
export function pathItem(operations: Record<string, Operation>, pathParameters: readonly Parameter[]): PathItem {
  const lists = Object.values(operations).map((operation) => operation.parameters ?? []);
  const shared = (lists[0] ?? []).filter((parameter) =>
    lists.every((list) => list.some((candidate) => candidate.name === parameter.name)),
  );
  const names = new Set(shared.map((parameter) => parameter.name));
  const trimmed = Object.entries(operations).map(([method, { parameters, ...rest }]): [string, Operation] => {
    const left = parameters?.filter((parameter) => !names.has(parameter.name)) ?? [];
    return [method, left.length > 0 ? { ...rest, parameters: left } : rest];
  });
  const all = [...pathParameters, ...shared].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { ...Object.fromEntries(trimmed.sort()), ...(all.length > 0 ? { parameters: all } : {}) };
}
