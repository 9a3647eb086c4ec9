// The bound of open tunnels: one too many is refused before a socket is made for it.
import { expect, test } from "vitest";
import { Tunnels } from "../../worker/cluster/outside/tunnels.ts";

test("B1: a tunnel past the bound is a 429 that names the limit", () => {
  const open = Array.from({ length: 64 }, () => ({}));
  const state = { getWebSockets: () => open } as unknown as DurableObjectState;
  const tunnels = new Tunnels(state, { tunnels: 64 }, () => expect.fail("no tunnel came"));
  expect(() => tunnels.open("default", "hook", undefined)).toThrow(
    expect.objectContaining({
      code: 429,
      message: "exceeded limit of this sandbox: requested: tunnels=1, used: tunnels=64, limited: tunnels=64",
    }),
  );
});

test("B1: a tunnel is used for an hour", () => {
  const openedMs = Date.now();
  const socket = (ageMs: number) => ({ readyState: 1, deserializeAttachment: () => ({ openedMs: openedMs - ageMs }) });
  const hasTunnel = (ageMs: number) => {
    const state = { getWebSockets: () => [socket(ageMs)] } as unknown as DurableObjectState;
    return new Tunnels(state, { tunnels: 64 }, () => undefined).has("default", "hook");
  };
  expect([hasTunnel(3_590_000), hasTunnel(3_600_000)]).toEqual([true, false]);
});
