// Dynamic registration: a platform's administrator opens our link in the platform, and both sides exchange their configuration.
import * as z from "zod";
import { ltiLimits } from "../../../shared/base/lti-limits.ts";
import type { LtiRegistration } from "../../../shared/contract/hosted/lti.ts";
import { askingPlatforms, jsonOf, urlProblem } from "../../lti/ask.ts";
import { LaunchRefused } from "../../lti/id-token.ts";
import { messages, platformConfiguration, toolConfiguration } from "../../lti/names.ts";
import type { ControlApiServer } from "../control-api/server.ts";
import { hashOf, randomText } from "../mac.ts";
import { registrationUrl, toolUrls } from "./addresses.ts";
import { read } from "./form.ts";
import { escaped, htmlPage } from "./page.ts";
import { newPlatformId } from "./platforms.ts";
import { readTicket, ticket } from "./tickets.ts";

const url = z.string().max(ltiLimits.urlCharacters);

const registrationQuery = z.object({
  openid_configuration: url.min(1),
  registration_token: z.string().max(ltiLimits.tokenCharacters).optional(),
});

const configuration = z.object({
  issuer: url,
  authorization_endpoint: url,
  token_endpoint: url,
  jwks_uri: url,
  registration_endpoint: url,
  /** The audience of requests for access tokens. */
  authorization_server: url.nullish(),
  [platformConfiguration]: z
    .object({ product_family_code: z.string().nullish().catch(undefined) })
    .nullish()
    .catch(undefined),
});

type Configuration = z.output<typeof configuration>;

const registered = z.object({
  client_id: z.coerce.string().min(1).max(ltiLimits.idCharacters),
  [toolConfiguration]: z
    .object({ deployment_id: z.coerce.string().min(1).max(ltiLimits.idCharacters).optional().catch(undefined) })
    .nullish()
    .catch(undefined),
});

/** Returns a link for one platform, valid for a day. */
export async function newRegistration(controlApi: ControlApiServer, tenantId: string): Promise<LtiRegistration> {
  const text = await ticket(controlApi, "registration", tenantId, { id: randomText(26) }, ltiLimits.registrationMs);
  const expiresAt = new Date(controlApi.nowMs() + ltiLimits.registrationMs).toISOString();
  return { url: registrationUrl(controlApi, tenantId, text), expiresAt };
}

export async function register(
  controlApi: ControlApiServer,
  tenantId: string,
  text: string,
  parameters: ReadonlyMap<string, string>,
): Promise<Response> {
  const { id, untilMs } = await readTicket(controlApi, "registration", tenantId, text);
  const { openid_configuration: at, registration_token: token } = read(registrationQuery, parameters);
  const configuration = await configurationAt(controlApi, at);
  if (!(await controlApi.lti.use(await hashOf(id), untilMs))) {
    throw new LaunchRefused("This link has registered a platform already: ask for another.");
  }
  const { clientId, deployment } = await registeredAt(controlApi, tenantId, configuration, token);
  const { hostname } = new URL(configuration.issuer);
  const row = {
    id: newPlatformId(),
    tenantId,
    name: hostname.slice(0, ltiLimits.nameCharacters),
    issuer: configuration.issuer,
    clientId,
    authorizationUrl: configuration.authorization_endpoint,
    tokenUrl: configuration.token_endpoint,
    jwksUrl: configuration.jwks_uri,
    // Canvas sends a host here, and accepts only the token's URL as audience.
    audience: URL.canParse(configuration.authorization_server ?? "") ? (configuration.authorization_server ?? "") : "",
    deployments: deployment === undefined ? [] : [deployment],
    createdAtMs: controlApi.nowMs(),
  };
  if (!(await controlApi.lti.addPlatform(row, ltiLimits.platforms))) {
    throw new LaunchRefused("There are as many platforms as there may be, or this one is registered already.");
  }
  return htmlPage({
    title: "Registered",
    body: `<h1>${escaped(hostname)} is registered</h1><p>You can close this window.</p>${
      deployment === undefined
        ? "<p>The platform named no deployment: add its id to the platform before the first launch.</p>"
        : ""
    }`,
    script: `(window.opener || window.parent).postMessage({ subject: "org.imsglobal.lti.close" }, "*");`,
    // The page shows only that the registration succeeded, and the platform's origin is unknown.
    frames: ["*"],
  });
}

async function configurationAt(controlApi: ControlApiServer, at: string): Promise<Configuration> {
  const answer = jsonOf(
    await askingPlatforms(controlApi.localService)({ url: at, headers: { accept: "application/json" } }),
  );
  if ("error" in answer) throw new LaunchRefused(`The platform's configuration cannot be had: ${answer.error}.`);
  const read = configuration.safeParse(answer.json);
  if (!read.success) {
    throw new LaunchRefused(
      `The platform's configuration lacks ${read.error.issues[0]?.path.join(".") ?? "something"}.`,
    );
  }
  const { issuer, authorization_endpoint, token_endpoint, jwks_uri, registration_endpoint } = read.data;
  for (const endpoint of [issuer, authorization_endpoint, token_endpoint, jwks_uri, registration_endpoint]) {
    const wrong = urlProblem(endpoint, controlApi.asksPrivate);
    if (wrong !== undefined) throw new LaunchRefused(`The platform's address ${endpoint} ${wrong}.`);
  }
  // Prevents a registration in another platform's name.
  if (new URL(issuer).host === new URL(at).host) return read.data;
  throw new LaunchRefused(`The configuration at ${new URL(at).host} is of another platform: ${issuer}.`);
}

async function registeredAt(
  controlApi: ControlApiServer,
  tenantId: string,
  { registration_endpoint: at, [platformConfiguration]: about }: Configuration,
  token: string | undefined,
): Promise<{ readonly clientId: string; readonly deployment: string | undefined }> {
  const answer = jsonOf(
    await askingPlatforms(controlApi.localService)({
      url: at,
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(registrationMetadata(controlApi, tenantId, about?.product_family_code === "canvas")),
    }),
  );
  if ("error" in answer) throw new LaunchRefused(`The platform did not register the tool: ${answer.error}.`);
  const read = registered.safeParse(answer.json);
  if (!read.success) throw new LaunchRefused("The platform did not register the tool: it gave no client id.");
  return { clientId: read.data.client_id, deployment: read.data[toolConfiguration]?.deployment_id };
}

/** Returns the tool's configuration. It requests only the names of people. */
function registrationMetadata(controlApi: ControlApiServer, tenantId: string, isCanvas: boolean): object {
  const { loginUrl, launchUrl, jwksUrl, scopes } = toolUrls(controlApi, tenantId);
  const placements = isCanvas ? { placements: canvasPlacements } : {};
  return {
    application_type: "web",
    response_types: ["id_token"],
    grant_types: ["implicit", "client_credentials"],
    initiate_login_uri: loginUrl,
    redirect_uris: [launchUrl],
    client_name: "Sandbar",
    jwks_uri: jwksUrl,
    token_endpoint_auth_method: "private_key_jwt",
    scope: scopes.join(" "),
    [toolConfiguration]: {
      domain: new URL(launchUrl).host,
      description: toolDescription,
      target_link_uri: launchUrl,
      claims: ["iss", "sub", "name", "given_name", "family_name"],
      messages: [
        { type: messages.deepLinking, target_link_uri: launchUrl, label: toolTitle, ...placements },
        { type: messages.resourceLink, target_link_uri: launchUrl, label: toolTitle },
      ],
    },
  };
}

const toolTitle = "Sandbar lesson";
const toolDescription = "Kubernetes lessons in a cluster of each learner's own.";
const canvasPlacements = ["assignment_selection", "link_selection"];

/** Returns the configuration as a Canvas developer key. */
export function canvasConfiguration(controlApi: ControlApiServer, tenantId: string): object {
  const { loginUrl, launchUrl, jwksUrl, scopes } = toolUrls(controlApi, tenantId);
  const placements = canvasPlacements.map((placement) => ({
    placement,
    enabled: true,
    message_type: messages.deepLinking,
    target_link_uri: launchUrl,
    text: toolTitle,
  }));
  return {
    title: toolTitle,
    description: toolDescription,
    oidc_initiation_url: loginUrl,
    target_link_uri: launchUrl,
    redirect_uris: [launchUrl],
    public_jwk_url: jwksUrl,
    scopes,
    custom_fields: {},
    extensions: [
      {
        platform: "canvas.instructure.com",
        domain: new URL(launchUrl).host,
        privacy_level: "name_only",
        settings: { text: toolTitle, placements },
      },
    ],
  };
}
