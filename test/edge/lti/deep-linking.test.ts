// Deep linking: a teacher chooses a lesson, and the platform receives the signed choice.
import { createLocalJWKSet, jwtVerify } from "jose";
import { describe, expect, test } from "vitest";
import { ltiLimits } from "../../../shared/base/lti-limits.ts";
import { fieldOf, lesson, newWorld, type World } from "./world.ts";

const settings = "https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings";

async function chosen(world: World, name = "first") {
  const { answer } = await world.launch({ teaches: true, deepLinking: true });
  const html = await answer.text();
  expect([answer.status, html]).toEqual([200, expect.stringContaining("First &lt;lesson&gt;")]);
  return world.post("/lti/ada/choose", { ticket: fieldOf(html, "ticket"), lesson: name });
}

describe.each(["moodle", "canvas"] as const)("deep linking in %s", (family) => {
  test("D5: returns the choice signed, as a link to the lesson with a line item for all of its points", async () => {
    const world = await newWorld(family);
    const answer = await chosen(world);
    const html = await answer.text();
    expect(answer.status).toBe(200);
    const action = /action="([^"]*)"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(new URL(action).hostname).toBe(world.platform.host);
    expect(answer.headers.get("content-security-policy")).toContain(
      `form-action 'self' https://${world.platform.host}`,
    );
    const { issuer, clientId } = world.platform.registration;
    const { payload, protectedHeader } = await jwtVerify(
      fieldOf(html, "JWT"),
      createLocalJWKSet(await world.platform.toolKeys()),
      { issuer: clientId, audience: issuer, algorithms: ["RS256"], currentDate: new Date(world.time.nowMs) },
    );
    expect(protectedHeader.kid).toMatch(/^[\w-]{36}$/);
    expect(payload).toMatchObject({
      nonce: expect.stringMatching(/./) as string,
      "https://purl.imsglobal.org/spec/lti/claim/message_type": "LtiDeepLinkingResponse",
      "https://purl.imsglobal.org/spec/lti/claim/version": "1.3.0",
      "https://purl.imsglobal.org/spec/lti/claim/deployment_id": (
        world.platform.registration["deployments"] as string[]
      )[0],
      "https://purl.imsglobal.org/spec/lti-dl/claim/content_items": [
        {
          type: "ltiResourceLink",
          title: "First <lesson>",
          url: "http://localhost:8787/lti/ada/launch?lesson=first",
          custom: { lesson: "first" },
          lineItem: { label: "First <lesson>", scoreMaximum: 10, resourceId: "first" },
        },
      ],
    });
    const data = "https://purl.imsglobal.org/spec/lti-dl/claim/data";
    expect(payload[data]).toBe(family === "moodle" ? "moodle's own" : undefined);
  });
});

describe("deep links", () => {
  test("D5: a link without custom parameters still leads to its lesson", async () => {
    const world = await newWorld();
    const target = (url: string) => ({
      "https://purl.imsglobal.org/spec/lti/claim/target_link_uri": url,
      "https://purl.imsglobal.org/spec/lti/claim/custom": undefined,
    });
    await world.learn({ claims: target("http://localhost:8787/lti/ada/launch?lesson=first") });
    for (const url of [
      "https://evil.example.org/lti/ada/launch?lesson=first",
      "http://localhost:8787/lti/bob/launch?lesson=first",
      "x",
    ]) {
      const { answer } = await world.launch({ claims: target(url) });
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("names no lesson")]);
    }
  });

  test("D5: a learner cannot choose, and content types that the platform does not accept are not offered", async () => {
    const world = await newWorld();
    const learner = await world.launch({ deepLinking: true });
    expect([learner.answer.status, await learner.answer.text()]).toEqual([400, expect.stringContaining("who teaches")]);
    const taken = { deep_link_return_url: "https://a.example.edu/", accept_types: ["file"] };
    const otherLaunch = await world.launch({ teaches: true, deepLinking: true, claims: { [settings]: taken } });
    expect([otherLaunch.answer.status, await otherLaunch.answer.text()]).toEqual([
      400,
      expect.stringContaining("takes no link"),
    ]);
    const none = await world.launch({ teaches: true, deepLinking: true, claims: { [settings]: undefined } });
    expect(none.answer.status).toBe(400);
  });

  test.each(["http://a.example.edu/", "https://127.0.0.1/", "javascript:alert(1)", "x"])(
    "D6: the choice is not sent to %s",
    async (deep_link_return_url) => {
      const world = await newWorld();
      const claims = { [settings]: { deep_link_return_url, accept_types: ["ltiResourceLink"] } };
      expect((await world.launch({ teaches: true, deepLinking: true, claims })).answer.status).toBe(400);
    },
  );

  test("D5: the chosen lesson must exist, and the page must be recent and of the same tenant", async () => {
    const world = await newWorld();
    expect((await chosen(world, "nothing")).status).toBe(404);
    const html = await (await world.launch({ teaches: true, deepLinking: true })).answer.text();
    const ticket = fieldOf(html, "ticket");
    expect((await world.post("/lti/bob/choose", { ticket, lesson: "first" })).status).toBe(400);
    expect((await world.post("/lti/ada/choose", { ticket, lesson: "first" }, "", "cross-site")).status).toBe(403);
    // A ticket for something else is none for this.
    expect((await world.post("/lti/ada/board", { ticket })).status).toBe(400);
    world.time.nowMs += ltiLimits.pageMs;
    expect((await world.post("/lti/ada/choose", { ticket, lesson: "first" })).status).toBe(400);
  });

  test("D5: the line item is omitted if the platform does not accept it, and a tenant without lessons gets an explanation", async () => {
    const world = await newWorld();
    const claims = {
      [settings]: {
        deep_link_return_url: "https://a.example.edu/back",
        accept_types: ["ltiResourceLink"],
        accept_lineitem: false,
      },
    };
    const { answer } = await world.launch({ teaches: true, deepLinking: true, claims });
    const ticket = fieldOf(await answer.text(), "ticket");
    const back = await (await world.post("/lti/ada/choose", { ticket, lesson: "first" })).text();
    const body = Buffer.from(fieldOf(back, "JWT").split(".")[1] ?? "", "base64url").toString();
    expect(body).not.toContain("lineItem");
    await world.send("DELETE", `/v1/lessons/${lesson.name}`);
    const empty = await (await world.launch({ teaches: true, deepLinking: true })).answer.text();
    expect(empty).toContain("There is no lesson yet");
  });
});
