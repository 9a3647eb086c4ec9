// A complete response that needs no object of the cluster: discovery, OpenAPI, version.

export interface Document {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | undefined;
}
