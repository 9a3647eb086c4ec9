// Reads unwanted bodies: a server that answers before it has read the request's body resets the connection, and the client may never see
// the response.

/** The part of a byte stream that is used here. */
interface ByteStream {
  getReader(): {
    read(): Promise<{ done: boolean; value?: { readonly length: number } | undefined }>;
    cancel(): Promise<void>;
  };
}

/** Reads the rest of an unread body up to `maxBytes`. Never throws. */
export async function discardBody(
  request: { readonly body: ByteStream | null; readonly bodyUsed: boolean },
  maxBytes: number,
): Promise<void> {
  if (request.bodyUsed || !request.body) return;
  try {
    const reader = request.body.getReader();
    let bytes = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      bytes += value?.length ?? 0;
      if (bytes > maxBytes) return await reader.cancel();
    }
  } catch {
    // The client has disconnected, or the body is being read by others.
  }
}
