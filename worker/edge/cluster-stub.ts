// A cluster's object as the edge sees it: something that answers requests.

export interface ClusterStub {
  fetch(url: string, init?: RequestInit): Promise<Response>;
}
