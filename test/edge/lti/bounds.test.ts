// Bounds of LTI data: members of a course, rows of a board, learners of a tenant.
import { expect, test } from "vitest";
import { newWorld } from "./world.ts";

const member = (at: number) => ({ user_id: `m${at}`, name: `Member ${at}.`, roles: ["Learner"] });

test("D3: a board requests at most ten pages of members, and shows 500 rows", async () => {
  const world = await newWorld();
  let requestCount = 0;
  world.platform.instead.set("/mod/lti/services.php/CourseSection", () => {
    requestCount += 1;
    const link = `<https://${world.platform.host}/mod/lti/services.php/CourseSection?p=${requestCount}>; rel="next"`;
    const members = Array.from({ length: 300 }, (_, at) => member(300 * requestCount + at));
    return Response.json({ members }, { headers: { link } });
  });
  const html = await (await world.launch({ teaches: true, user: "1" })).answer.text();
  // 2,000 members are within the seventh page.
  expect(requestCount).toBe(7);
  expect(html.match(/Member \d+\./g)).toHaveLength(500);
  requestCount = 0;
  world.platform.instead.set("/mod/lti/services.php/CourseSection", () => {
    requestCount += 1;
    const link = `<https://${world.platform.host}/mod/lti/services.php/CourseSection?p=${requestCount}>; rel="next"`;
    return Response.json({ members: [member(requestCount)] }, { headers: { link } });
  });
  const short = await (await world.launch({ teaches: true, user: "1" })).answer.text();
  expect([requestCount, short.match(/Member \d+\./g)?.length]).toEqual([10, 10]);
});

test("D3: a tenant has at most 20,000 learners, and a further one is refused with an explanation", async () => {
  const world = await newWorld();
  const { id } = world.database.prepare("SELECT id FROM lti_platforms").get() as { id: string };
  const columns = "?, 'link', 'u' || ?, 'ada', 'first', 'First', 'L', '', '', 0, '', 0, 0, 0, 0";
  const add = world.database.prepare(`INSERT INTO lti_learners VALUES (${columns})`);
  for (let at = 1; at < 20_000; at++) add.run(id, at);
  await world.learn({ user: "last" });
  const { answer } = await world.launch({ user: "one-more" });
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("No more learners can come")]);
  await world.learn({ user: "last" });
});
