// How the checks of the pod security standards are worded: who breaks one, and with what.

/** What a check forbids: a short reason, and what exactly. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** `"a", "b"` */
export function quotedList(items: readonly string[]): string {
  return items.map((item) => `"${item}"`).join(", ");
}

export function counted(items: readonly unknown[], one: string, many = `${one}s`): string {
  return items.length === 1 ? one : many;
}

/** `container "a"`, `containers "a", "b"` */
export function containersText(names: readonly string[]): string {
  return `${counted(names, "container")} ${quotedList(names)}`;
}

/** `pod and container "a"` */
export function settersText(pod: boolean, containers: readonly string[], ...more: readonly string[]): string {
  return [...(pod ? ["pod"] : []), ...(containers.length > 0 ? [containersText(containers)] : []), ...more].join(
    " and ",
  );
}

export function sortedSet(items: Iterable<string>): string[] {
  return [...new Set(items)].sort();
}
