// Tests the origin of a listed sandbox: its owner, or the lesson, class and learner that it was created for.
import { expect, test } from "vitest";
import { sandboxList } from "../../shared/contract/sandbox.ts";
import { addPerson } from "./people.ts";
import { keys, newService, startMs } from "./service.ts";

const lesson = {
  name: "first",
  title: "First",
  manifests: "a: 1",
  timeLimitMinutes: 30,
  steps: [{ title: "One", text: "# One", checks: [{ name: "a", points: 1, hint: "", expression: "true" }] }],
};

test("D24: a listed sandbox names the key or person that created it, until that is gone, and the lesson of a learner", async () => {
  const { send, database } = await newService();
  const list = async () => {
    const { sandboxes } = sandboxList.parse(await (await send("GET", "/v1/sandboxes")).json());
    return Object.fromEntries(sandboxes.map(({ name, owner, lesson: of }) => [name, [owner, of]]));
  };
  const { cookie } = await addPerson(database, "mia", { tenant: "ada", role: "owner", nowMs: startMs });
  await send("POST", "/v1/sandboxes", { cookie, body: { name: "by-mia" } });
  const answer = await send("POST", "/v1/keys", { cookie, body: { name: "ci", scopes: ["sandboxes:create"] } });
  const { key, id } = await answer.json<{ key: string; id: string }>();
  await send("POST", "/v1/sandboxes", { key, body: { name: "by-ci" } });
  expect(await list()).toMatchObject({ "by-mia": ["mia", undefined], "by-ci": ["ci", undefined] });
  await send("DELETE", `/v1/keys/${id}`);
  expect((await list())["by-ci"]).toEqual(["", undefined]);
  expect((await send("POST", "/v1/lessons", { body: lesson })).status).toBe(201);
  const run = await send("POST", "/v1/lessons/first/runs", { body: { learner: "pat" } });
  expect(run.status).toBe(201);
  const all = sandboxList.parse(await (await send("GET", "/v1/sandboxes")).json()).sandboxes;
  expect(all.map(({ lesson: of }) => of)).toContainEqual({ name: "first", learner: "pat", class: "" });
  expect(sandboxList.parse(await (await send("GET", "/v1/sandboxes", { key: keys.bob })).json()).sandboxes).toEqual([]);
});
