// Calls of the page around a frame: so many wait for their answers at once, and one more is told that they are under way.
import { expect, test } from "vitest";
import { newCalls } from "../../web/embed/frame/calls.ts";

test("Z18: twenty calls are under way at once, and one more is busy", () => {
  const sent: { readonly id?: unknown; readonly error?: { readonly code: string } }[] = [];
  const phase = { value: { is: "opening" }, subscribe: () => () => undefined };
  const calls = newCalls({ phase, link: { send: (answer: object) => void sent.push(answer) } } as never);
  for (let id = 1; id <= 21; id++) void calls.take({ type: "call", id, method: "run", text: "get pods" } as never);
  expect(sent).toMatchObject([{ id: 21, error: { code: "busy" } }]);
});
