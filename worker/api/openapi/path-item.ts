// One path of the OpenAPI documents: its operations by method, and the parameters they share.
import type { Operation } from "./operations.ts";
import type { Parameter } from "./parameters.ts";

export interface PathItem {
  parameters?: readonly Parameter[];
  [method: string]: Operation | readonly Parameter[] | undefined;
}

/** Parameters that all operations of a path have stand on the path, as upstream's builder puts them. */
export function pathItem(operations: Record<string, Operation>, own: readonly Parameter[]): PathItem {
  const lists = Object.values(operations).map((one) => one.parameters ?? []);
  const shared = (lists[0] ?? []).filter((parameter) =>
    lists.every((list) => list.some((one) => one.name === parameter.name)),
  );
  const names = new Set(shared.map((parameter) => parameter.name));
  const trimmed = Object.entries(operations).map(([method, { parameters, ...rest }]): [string, Operation] => {
    const left = parameters?.filter((parameter) => !names.has(parameter.name)) ?? [];
    return [method, left.length > 0 ? { ...rest, parameters: left } : rest];
  });
  const all = [...own, ...shared].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { ...Object.fromEntries(trimmed.sort()), ...(all.length > 0 ? { parameters: all } : {}) };
}
