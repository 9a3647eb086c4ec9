// Compares two states of an object: the path, the old and the new value of each changed field.

/** A changed field. `from` is absent for an added value, `to` for a removed one. */
export interface FieldChange {
  /** `spec.containers[name=app].image`, `metadata.annotations["example.com/a"]`, `spec.finalizers[0]`. */
  readonly path: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

/** Fields that identify the entries of a list. The first that all entries have with different values is used. */
const listKeys = [
  "name",
  "type",
  "key",
  "uid",
  "ip",
  "mountPath",
  "devicePath",
  "containerPort",
  "port",
  "topologyKey",
];
const plainWord = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/**
 * Returns changed fields in their order in `before`, then in `after`; at most `most` of them. A value that is absent on one side is one
 * change.
 */
export function changedFields(before: unknown, after: unknown, most = Number.POSITIVE_INFINITY): FieldChange[] {
  const changes: FieldChange[] = [];
  compare(before, after, "", (change) => {
    if (changes.length < most) changes.push(change);
    return changes.length < most;
  });
  return changes;
}

/** Compares two values. Returns whether to go on. */
function compare(before: unknown, after: unknown, path: string, report: (change: FieldChange) => boolean): boolean {
  if (before === after) return true;
  if (isMap(before) && isMap(after)) return compareEntries(Object.entries(before), Object.entries(after), path, report);
  if (Array.isArray(before) && Array.isArray(after)) {
    const key = keyOfLists(before, after);
    return compareEntries(entriesOf(before, key), entriesOf(after, key), path, report);
  }
  return report({
    path,
    ...(before === undefined ? {} : { from: before }),
    ...(after === undefined ? {} : { to: after }),
  });
}

type Entry = readonly [step: string, value: unknown];

function compareEntries(
  before: readonly Entry[],
  after: readonly Entry[],
  path: string,
  report: (change: FieldChange) => boolean,
): boolean {
  const next = new Map(after);
  for (const [step, value] of before) {
    if (!compare(value, next.get(step), joined(path, step), report)) return false;
    next.delete(step);
  }
  for (const [step, value] of next) if (!compare(undefined, value, joined(path, step), report)) return false;
  return true;
}

function joined(path: string, step: string): string {
  if (step.startsWith("[")) return path + step;
  if (!plainWord.test(step)) return `${path}[${JSON.stringify(step)}]`;
  return path === "" ? step : `${path}.${step}`;
}

function entriesOf(list: readonly unknown[], key: string | undefined): Entry[] {
  return list.map((entry, at) => [
    key === undefined || !isMap(entry) ? `[${at}]` : `[${key}=${String(entry[key])}]`,
    entry,
  ]);
}

function keyOfLists(before: readonly unknown[], after: readonly unknown[]): string | undefined {
  return listKeys.find((key) => isKey(before, key) && isKey(after, key));
}

function isKey(list: readonly unknown[], key: string): boolean {
  const checkedKeys = new Set<unknown>();
  for (const entry of list) {
    const value = isMap(entry) ? entry[key] : undefined;
    if ((typeof value !== "string" && typeof value !== "number") || checkedKeys.has(value)) return false;
    checkedKeys.add(value);
  }
  return true;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
