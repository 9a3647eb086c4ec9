// The messages of the pod security checks: which containers violate a check, and how.

/** A violation of a check: a short reason, and the details. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

/** Returns `"a", "b"`. */
export function quotedList(items: readonly string[]): string {
  return items.map((item) => `"${item}"`).join(", ");
}

export function singularOrPlural(items: readonly unknown[], singular: string, plural = `${singular}s`): string {
  return items.length === 1 ? singular : plural;
}

/** Returns `container "a"` or `containers "a", "b"`. */
export function containersText(names: readonly string[]): string {
  return `${singularOrPlural(names, "container")} ${quotedList(names)}`;
}

/** Returns `pod and container "a"`. */
export function settersText(pod: boolean, containers: readonly string[], ...more: readonly string[]): string {
  return [...(pod ? ["pod"] : []), ...(containers.length > 0 ? [containersText(containers)] : []), ...more].join(
    " and ",
  );
}

export function sortedSet(items: Iterable<string>): string[] {
  return [...new Set(items)].sort();
}
