// The resources that a timeline shows.

/** Resources whose changes say nothing about what happened. */
const omitted = new Set(["", "leases.coordination.k8s.io"]);

export function isTimelined(resource: string): boolean {
  return !omitted.has(resource);
}
