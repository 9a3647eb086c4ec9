// A followed log of a real object: changes are sent on a socket, and the object is evicted meanwhile.
import { evictDurableObject } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import { newSandbox } from "./sandbox.ts";
import { patiently } from "../../patiently.ts";

const script = "until grep -q two /settings/word; do sleep 1; done; echo went; sleep 36000";

test("L4: a follower of a silent log receives a change, also if the object was evicted meanwhile, without polling", async () => {
  const sandbox = await newSandbox();
  await sandbox.put("settings", { word: "one" });
  await sandbox.call("POST", "/api/v1/namespaces/default/pods", {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web" },
    spec: {
      containers: [
        {
          name: "main",
          image: "busybox",
          command: ["sh", "-c", script],
          volumeMounts: [{ name: "settings", mountPath: "/settings" }],
        },
      ],
      volumes: [{ name: "settings", configMap: { name: "settings" } }],
    },
  });
  const path = "/api/v1/namespaces/default/pods/web";
  await patiently(async () => expect(JSON.stringify((await sandbox.call("GET", path)).metadata)).toBeTruthy());
  await vi.waitFor(async () => expect(JSON.stringify(await sandbox.call("GET", path))).toContain('"running":'), {
    timeout: 20_000,
    interval: 200,
  });
  await sandbox.quiet();
  const answer = await sandbox.send(`${path}/log?follow=true`);
  expect(answer.status).toBe(200);
  const reader = answer.body?.getReader();
  const next = reader?.read();
  // Joined, asked again, and silent.
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const builds = sandbox.builds();
  await evictDurableObject(sandbox.stub());
  await new Promise((resolve) => setTimeout(resolve, 7000));
  // A question would have built it again.
  expect(sandbox.builds()).toBe(builds);
  await sandbox.put("settings", { word: "two" });
  expect(new TextDecoder().decode((await next)?.value)).toBe("went\n");
  await reader?.cancel();
});
