// The route of the control API that served a request, for metrics.

const routesOfRequests = new WeakMap<Request, string>();

export function recordRoute(request: Request, route: string): void {
  routesOfRequests.set(request, route);
}

/** Returns the id of the route, or `none` if no route served the request. */
export function routeOf(request: Request): string {
  return routesOfRequests.get(request) ?? "none";
}
