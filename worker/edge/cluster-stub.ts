// A cluster's object as the edge sees it: something that answers requests.

export interface ClusterStub {
  /** A request as its client sent it, or one of the edge's own. */
  fetch(to: string | Request, init?: RequestInit): Promise<Response>;
}
