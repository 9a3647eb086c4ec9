// ResourceQuota with concurrent writes.
import { expect, test } from "vitest";
import { newServer } from "../api/server.ts";

const base = "/api/v1/namespaces/default";

test("R14: concurrent creations succeed exactly as often as the quota allows", async () => {
  const { ask, bugs } = newServer({ nodes: 0 });
  const created = await ask("POST", `${base}/resourcequotas`, {
    body: { metadata: { name: "q" }, spec: { hard: { "count/secrets": "10" } } },
  });
  expect(created.code).toBe(201);
  const createSecret = (index: number) =>
    ask("POST", `${base}/secrets`, { body: { metadata: { name: `s-${index}` } } });
  const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => createSecret(index)));
  const codes = answers.map(({ code }) => code);
  expect(codes.filter((code) => code === 201)).toHaveLength(10);
  expect(codes.filter((code) => code === 403)).toHaveLength(40);
  expect(answers.at(-1)?.body.message).toContain(
    "is forbidden: exceeded quota: q, requested: count/secrets=1, used: count/secrets=10, limited: count/secrets=10",
  );
  expect((await ask("GET", `${base}/secrets`)).body.items).toHaveLength(10);
  expect((await ask("GET", `${base}/resourcequotas/q`)).body.status["used"]).toEqual({ "count/secrets": "10" });
  expect(bugs).toEqual([]);
});
