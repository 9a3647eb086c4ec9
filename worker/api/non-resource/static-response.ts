// The response of an endpoint that reads no stored object: discovery, OpenAPI, version.

export interface StaticResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | undefined;
}
