// The Durable Object of a cluster as the edge calls it: an object that answers requests.

export interface ClusterStub {
  /** Sends a client's request, or a request that the edge builds. */
  fetch(to: string | Request, init?: RequestInit): Promise<Response>;
}
