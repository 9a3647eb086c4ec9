// The place of Durable Objects: the jurisdiction of all of them, and a region as a hint for new ones.

export interface PlaceBindings {
  readonly SANDBAR_JURISDICTION?: string;
  readonly SANDBAR_LOCATION?: string;
}

/** Returns the namespace of the service's jurisdiction. A name in another jurisdiction is another object. */
export function inJurisdiction<Namespace>(
  namespace: Namespace,
  { SANDBAR_JURISDICTION: name }: PlaceBindings,
): Namespace {
  if (!name) return namespace;
  // A namespace of the platform has the method; tests and local services set no jurisdiction.
  return (namespace as { jurisdiction(name: string): Namespace }).jurisdiction(name);
}
