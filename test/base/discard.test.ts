// Unread request bodies.
import { expect, test } from "vitest";
import { discardBody } from "../../shared/base/discard.ts";

const requestOf = (chunks: number, chunkBytes: number) => {
  let sent = 0;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (sent === chunks) return controller.close();
      sent++;
      controller.enqueue(new Uint8Array(chunkBytes));
    },
    cancel: () => {
      cancelled = true;
    },
  });
  return { request: { body, bodyUsed: false }, sent: () => sent, cancelled: () => cancelled };
};

test("an unread body is read to its end, so that the refusal reaches the client", async () => {
  const { request, sent } = requestOf(5, 10);
  await discardBody(request, 1000);
  expect(sent()).toBe(5);
});

test("a body that is too long is cancelled", async () => {
  const { request, sent, cancelled } = requestOf(1000, 10);
  await discardBody(request, 100);
  expect(sent()).toBeLessThan(20);
  expect(cancelled()).toBe(true);
});

test("a body that is being read is not discarded", async () => {
  const { request, sent } = requestOf(5, 10);
  await discardBody({ ...request, bodyUsed: true }, 1000);
  // The stream itself pulls one chunk ahead.
  expect(sent()).toBeLessThan(2);
});
