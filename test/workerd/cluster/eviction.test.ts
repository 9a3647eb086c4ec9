// Evictions of an idle cluster with open watches, and its return for the next write.
import { expect, test } from "vitest";
import { newSandbox } from "./sandbox.ts";
import { openWatch } from "./watch-reader.ts";
import { patiently } from "../../patiently.ts";

/** The media types that kubectl accepts for a watch. */
const asTable =
  "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
/** The platform evicts an object after ten idle seconds. */
const idleMs = 13_000;
const path = "/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=0";

test("Q5: an idle cluster has only its expiry's alarm", async () => {
  const sandbox = await newSandbox();
  await sandbox.quiet();
  expect(await sandbox.alarm()).toBe(sandbox.expiresAtMs);
});

test.concurrent("W4: an idle cluster with a watch open over HTTP is evicted, and the next event still arrives", async () => {
  const { sandbox, isEvicted } = await quietSandbox();
  const watch = await openWatch(sandbox, path, { headers: { accept: asTable } });
  const rowOf = async () => JSON.stringify((await watch.next(1))[0]);
  expect(await rowOf()).toContain('"kube-root-ca.crt"');
  await isEvicted();
  await sandbox.put("late", { v: "1" });
  expect(await rowOf()).toContain('"late"');
  // The alarm of the woken cluster is the same, and not set anew.
  expect(await sandbox.alarm()).toBe(sandbox.expiresAtMs);
  await watch.cancel();
});

test.concurrent("W4: an idle cluster with a WebSocket watch open is evicted, and the next event still arrives", async () => {
  const { sandbox, isEvicted } = await quietSandbox();
  // As a browser does it, which cannot set a header: the token is a subprotocol.
  const token = btoa(sandbox.token).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const protocols = `base64url.bearer.authorization.k8s.io.${token}, base64.binary.k8s.io`;
  const headers = { upgrade: "websocket", "sec-websocket-protocol": protocols };
  const { webSocket } = await sandbox.send(path, { headers });
  const frames: string[] = [];
  webSocket?.addEventListener("message", ({ data }) => void frames.push(String(data)));
  webSocket?.accept();
  await patiently(() => expect(frames.join()).toContain('"kube-root-ca.crt"'));
  await isEvicted();
  await sandbox.put("late", { v: "1" });
  await patiently(() => expect(frames.at(-1)).toContain('"late"'));
  webSocket?.close(1000, "enough");
});

async function quietSandbox() {
  const sandbox = await newSandbox();
  await sandbox.quiet();
  const builds = sandbox.builds();
  return {
    sandbox,
    /** Waits until the object is evicted. */
    isEvicted: async () => {
      await new Promise((resolve) => setTimeout(resolve, idleMs));
      await sandbox.send("/version");
      expect(sandbox.builds()).toBe(builds + 1);
    },
  };
}
