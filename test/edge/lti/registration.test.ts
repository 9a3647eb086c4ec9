// Platforms of a tenant: registered by hand over the control API, or by themselves through a link.
import { describe, expect, test } from "vitest";
import { errorBody } from "../../../shared/contract/error.ts";
import { ltiLimits } from "../../../shared/base/lti-limits.ts";
import { ltiPlatform, ltiPlatformList, ltiRegistration, ltiTool } from "../../../shared/contract/hosted/lti.ts";
import { storedRows } from "../people.ts";
import { keys } from "../service.ts";
import { newWorld, type World } from "./world.ts";

const toolConfiguration = "https://purl.imsglobal.org/spec/lti-tool-configuration";
const platformConfiguration = "https://purl.imsglobal.org/spec/lti-platform-configuration";

async function errorOf(answer: Response) {
  return { status: answer.status, ...errorBody.parse(await answer.json()).error };
}

describe("manual registration", () => {
  test("D6: creates, shows, changes and deletes a platform, and another tenant does not see it", async () => {
    const { send, platform, platformId } = await newWorld();
    const path = `/v1/lti/platforms/${platformId}`;
    const shownPlatform = ltiPlatform.parse(await (await send("GET", path)).json());
    expect(shownPlatform).toMatchObject({ ...platform.registration, audience: "" });
    const changed = await send("PATCH", path, { body: { name: "Else", deployments: ["2", "3"] } });
    expect(await changed.json()).toEqual({ ...shownPlatform, name: "Else", deployments: ["2", "3"] });
    for (const [method, below] of [
      ["GET", ""],
      ["PATCH", ""],
      ["DELETE", ""],
      ["GET", "/scores"],
    ] as const) {
      const body = method === "PATCH" ? { name: "x" } : undefined;
      expect((await send(method, path + below, { key: keys.bob, body })).status).toBe(404);
    }
    expect(ltiPlatformList.parse(await (await send("GET", "/v1/lti/platforms", { key: keys.bob })).json())).toEqual({
      platforms: [],
    });
    expect((await send("DELETE", path)).status).toBe(204);
    expect((await send("GET", path)).status).toBe(404);
  });

  test("D6: shows the tenant's own addresses of the tool, also as a Canvas configuration", async () => {
    const { send, ask } = await newWorld();
    const tool = ltiTool.parse(await (await send("GET", "/v1/lti/tool")).json());
    expect(tool).toMatchObject({
      loginUrl: "http://localhost:8787/lti/ada/login",
      launchUrl: "http://localhost:8787/lti/ada/launch",
      jwksUrl: "http://localhost:8787/lti/ada/jwks.json",
    });
    const canvas = await (await ask(new URL(tool.canvasConfigurationUrl).pathname)).json<Record<string, unknown>>();
    expect(canvas).toMatchObject({
      oidc_initiation_url: tool.loginUrl,
      target_link_uri: tool.launchUrl,
      public_jwk_url: tool.jwksUrl,
      extensions: [
        {
          platform: "canvas.instructure.com",
          settings: { placements: [{ message_type: "LtiDeepLinkingRequest" }, {}] },
        },
      ],
    });
  });

  test.each([
    ["authorizationUrl", "http://a.example.edu/"],
    ["tokenUrl", "https://169.254.169.254/latest"],
    ["tokenUrl", "https://user@a.example.edu/"],
    ["jwksUrl", "https://localhost/jwks"],
    ["jwksUrl", "file:///etc/passwd"],
    ["issuer", ""],
    ["clientId", "x".repeat(256)],
    ["deployments", ["x".repeat(256)]],
    ["name", ""],
  ])("D6: refuses %s of %j", async (field, value) => {
    const { send, platform } = await newWorld();
    const body = { ...platform.registration, clientId: "another", [field]: value };
    const error = await errorOf(await send("POST", "/v1/lti/platforms", { body }));
    expect(error).toMatchObject({ status: 400, code: "invalid_field" });
    expect(error.field).toContain(field);
  });

  test("D6: refuses a platform twice, accepts it for another tenant, and bounds their number", async () => {
    const { send, platform } = await newWorld();
    const body = platform.registration;
    const again = await errorOf(await send("POST", "/v1/lti/platforms", { body }));
    expect(again).toMatchObject({ status: 409, code: "platform_known" });
    expect((await send("POST", "/v1/lti/platforms", { body, key: keys.bob })).status).toBe(201);
    for (let at = 1; at < ltiLimits.platforms; at++)
      expect((await send("POST", "/v1/lti/platforms", { body: { ...body, clientId: `c${at}` } })).status).toBe(201);
    const full = await errorOf(await send("POST", "/v1/lti/platforms", { body: { ...body, clientId: "more" } }));
    expect(full).toMatchObject({ status: 409, code: "too_many_platforms" });
  });

  test("D6: accepts private addresses on a user's own machine", async () => {
    const { send, platform, service } = await newWorld();
    service.asksPrivate = true;
    const body = { ...platform.registration, clientId: "local", tokenUrl: "http://localhost:8080/mod/lti/token.php" };
    expect((await send("POST", "/v1/lti/platforms", { body })).status).toBe(201);
  });
});

async function registering(world: World, more: Record<string, unknown> = {}, answered: Record<string, unknown> = {}) {
  const host = `new-${world.platform.host}`;
  const base = `https://${host}`;
  const requests: { url: string; headers: Headers; body: string }[] = [];
  world.others.set(host, async (request) => {
    requests.push({ url: request.url, headers: request.headers, body: await request.text() });
    if (request.url.endsWith("/openid-configuration")) {
      return Response.json({
        issuer: base,
        authorization_endpoint: `${base}/auth`,
        token_endpoint: `${base}/token`,
        jwks_uri: `${base}/jwks`,
        registration_endpoint: `${base}/register`,
        [platformConfiguration]: { product_family_code: "moodle", version: "5" },
        ...more,
      });
    }
    return Response.json({
      client_id: `given${requests.length === 2 ? "" : requests.length}`,
      // As Moodle answers: a list where the specification has a text.
      application_type: ["web"],
      token_endpoint_auth_method: "private_key_jwt",
      [toolConfiguration]: { deployment_id: "31" },
      ...answered,
    });
  });
  const response = await world.send("POST", "/v1/lti/registrations", { body: {} });
  const { url } = ltiRegistration.parse(await response.json());
  const open = (configuration = `${base}/openid-configuration`, tenant = "ada") =>
    world.ask(
      `${new URL(url).pathname.replace("/ada/", `/${tenant}/`)}?openid_configuration=${encodeURIComponent(configuration)}&registration_token=tok`,
    );
  return { requests, base, open };
}

const registeredOf = async ({ send }: World) =>
  ltiPlatformList
    .parse(await (await send("GET", "/v1/lti/platforms")).json())
    .platforms.filter(({ clientId }) => clientId === "given");

describe("dynamic registration", () => {
  test("D6: registers a platform from a link once, and sends it the tool's configuration", async () => {
    const world = await newWorld();
    const { requests, base, open } = await registering(world);
    const answer = await open();
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("org.imsglobal.lti.close")]);
    // Canvas shows it on a page of the customer's own name.
    expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'self' *");
    const [, sent] = requests;
    expect(sent?.headers.get("authorization")).toBe("Bearer tok");
    expect(JSON.parse(sent?.body ?? "")).toMatchObject({
      application_type: "web",
      response_types: ["id_token"],
      initiate_login_uri: "http://localhost:8787/lti/ada/login",
      redirect_uris: ["http://localhost:8787/lti/ada/launch"],
      jwks_uri: "http://localhost:8787/lti/ada/jwks.json",
      token_endpoint_auth_method: "private_key_jwt",
      scope: expect.stringContaining("lti-ags/scope/score") as string,
      [toolConfiguration]: { domain: "localhost:8787", claims: ["iss", "sub", "name", "given_name", "family_name"] },
    });
    expect(await registeredOf(world)).toMatchObject([
      { issuer: base, clientId: "given", tokenUrl: `${base}/token`, jwksUrl: `${base}/jwks`, deployments: ["31"] },
    ]);
    const again = await open();
    expect([again.status, await again.text()]).toEqual([
      400,
      expect.stringContaining("has registered a platform already"),
    ]);
    expect(world.errors).toEqual([]);
  });

  test.each([
    ["sso.canvaslms.com", ""],
    ["https://api.brightspace.com/auth/token", "https://api.brightspace.com/auth/token"],
    [undefined, ""],
  ])("D6: with the authorization server %j has the audience %j", async (authorization_server, audience) => {
    const world = await newWorld();
    const { open } = await registering(world, { authorization_server });
    expect((await open()).status).toBe(200);
    expect(await registeredOf(world)).toMatchObject([{ audience }]);
  });

  test("D6: without a deployment asks the administrator to add it", async () => {
    const world = await newWorld();
    const { open } = await registering(world, {}, { [toolConfiguration]: undefined });
    expect(await (await open()).text()).toContain("named no deployment");
    expect(await registeredOf(world)).toMatchObject([{ deployments: [] }]);
  });

  test.each<[string, Record<string, unknown>, RegExp]>([
    ["with another issuer", { issuer: "https://canvas.instructure.com" }, /of another platform/],
    ["with a private token address", { token_endpoint: "https://127.0.0.1/" }, /is not public/],
    ["with an http address of its keys", { jwks_uri: "http://a.example.edu/jwks" }, /must begin with https/],
    ["without a registration endpoint", { registration_endpoint: undefined }, /registration_endpoint/],
  ])("D6: refuses a configuration %s, and the link stays valid", async (_, more, why) => {
    const world = await newWorld();
    const { open, requests } = await registering(world, more);
    const before = storedRows(world.database);
    const answer = await open();
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringMatching(why)]);
    expect(storedRows(world.database)).toEqual(before);
    expect(requests.length).toBe(1);
  });

  test.each(["http://10.0.0.1/", "https://localhost/", "https://metadata.google.internal/", "x", ""])(
    "D6: does not request a configuration at %j",
    async (at) => {
      const { open, requests } = await registering(await newWorld());
      expect((await open(at)).status).toBe(400);
      expect(requests).toEqual([]);
    },
  );

  test("D6: accepts a link for a day, for its tenant, and no other text", async () => {
    const world = await newWorld();
    const registration = ltiRegistration.parse(
      await (await world.send("POST", "/v1/lti/registrations", { body: {} })).json(),
    );
    const path = new URL(registration.url).pathname;
    const query = "?openid_configuration=https%3A%2F%2Fa.example.edu%2F";
    const { open, requests } = await registering(world);
    expect((await open(undefined, "bob")).status).toBe(400);
    expect(requests).toEqual([]);
    expect((await world.ask(`/lti/ada/register/${"a".repeat(100)}.b${query}`)).status).toBe(400);
    world.time.nowMs += ltiLimits.registrationMs;
    expect((await world.ask(path + query)).status).toBe(400);
  });
});
