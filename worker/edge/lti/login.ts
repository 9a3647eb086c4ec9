// The login of a launch. The browser receives a proof and is redirected to the platform, which identifies the user.
// Browsers may block cookies in frames. Then the platform's storage holds the proof, or the lesson opens in a window of its own.
import * as z from "zod";
import { ltiLimits } from "../../../shared/base/lti-limits.ts";
import { LaunchRefused } from "../../lti/id-token.ts";
import type { ControlApiServer } from "../control-api/server.ts";
import type { LtiPlatformRow } from "../db/lti-tables.ts";
import { hashOf, randomText } from "../mac.ts";
import { toolUrls } from "./addresses.ts";
import { read } from "./form.ts";
import { hidden, htmlPage } from "./page.ts";
import { storageScript } from "./platform-storage.ts";
import { ticket } from "./tickets.ts";

const hint = z.string().max(ltiLimits.hintCharacters);
const id = z.string().max(ltiLimits.idCharacters);

const login = z.object({
  iss: z.string().min(1).max(ltiLimits.urlCharacters),
  login_hint: hint.min(1),
  target_link_uri: z.string().max(ltiLimits.urlCharacters).optional(),
  client_id: id.optional(),
  lti_message_hint: hint.optional(),
  lti_deployment_id: id.optional(),
  deployment_id: id.optional(),
  lti_storage_target: z
    .string()
    .max(100)
    .regex(/^[\w.-]*$/)
    .optional(),
});

export const loginCookie = "sandbar-lti";
/** The characters of the nonce in the name of a login's cookie. */
const cookieIdLength = 8;

export function cookieName(nonce: string): string {
  return `${loginCookie}-${nonce.slice(0, cookieIdLength)}`;
}

/** Returns a page that redirects to the platform. */
export async function beginLogin(
  controlApi: ControlApiServer,
  tenantId: string,
  query: ReadonlyMap<string, string>,
): Promise<Response> {
  const loginRequest = read(login, query);
  const platform = await platformOf(controlApi, tenantId, loginRequest.iss, loginRequest.client_id);
  const [nonce, proof] = [randomText(32), randomText(32)];
  const storage = loginRequest.lti_storage_target ?? "";
  const loginTicket = { platformId: platform.id, nonce, proof: await hashOf(proof), storage };
  const inCookie = await ticket(controlApi, "login", tenantId, { ...loginTicket, storage: "" }, ltiLimits.loginMs);
  const inStorage = storage && (await ticket(controlApi, "login", tenantId, loginTicket, ltiLimits.loginMs));
  const to = (state: string) => authorization(controlApi, tenantId, platform, loginRequest, { state, nonce });
  const name = cookieName(nonce);
  const parameters = Object.fromEntries(
    Object.keys(login.shape).flatMap((key) => (query.has(key) ? [[key, query.get(key) ?? ""]] : [])),
  );
  return htmlPage({
    title: "To your course",
    body: `<p id="wait">One moment …</p>
<form id="window" method="post" action="${toolUrls(controlApi, tenantId).loginUrl}" target="_blank" hidden>${hidden(parameters)}
<p>Your browser keeps nothing for this page inside of your course's page.</p><button>Open the lesson in a new window</button></form>
<noscript><p>This page needs JavaScript.</p></noscript>`,
    script: `${storageScript}${loginScript}`,
    data: {
      cookie: `${name}=${proof}; Path=/lti; Max-Age=${ltiLimits.loginMs / 1000}; Secure; SameSite=None; Partitioned`,
      has: `${name}=${proof}`,
      byCookie: to(inCookie),
      storage,
      origin: new URL(platform.authorizationUrl).origin,
      key: name,
      value: proof,
      ...(inStorage ? { byStorage: to(inStorage) } : {}),
    },
    // The page shows no personal data, and the framing origin is unknown before the launch.
    frames: ["*"],
  });
}

/** Tries a cookie first, then the platform's storage, then a window. */
const loginScript = `
document.cookie = data.cookie;
const openWindow = () => { document.getElementById("wait").hidden = true; document.getElementById("window").hidden = false; };
if (document.cookie.split("; ").includes(data.has)) location.replace(data.byCookie);
else if (data.storage) ask("lti.put_data", { key: data.key, value: data.value }).then(() => location.replace(data.byStorage), openWindow);
else openWindow();
`;

async function platformOf(
  { lti }: ControlApiServer,
  tenantId: string,
  issuer: string,
  clientId: string | undefined,
): Promise<LtiPlatformRow> {
  const [platform, another] = await lti.platformsOf(tenantId, issuer, clientId);
  if (platform && !another) return platform;
  const which = clientId === undefined ? `the issuer ${issuer}` : `the issuer ${issuer} and the client id ${clientId}`;
  throw new LaunchRefused(
    another
      ? `Several platforms have ${which}: the login must name its client_id.`
      : `No platform with ${which} is registered here.`,
  );
}

function authorization(
  controlApi: ControlApiServer,
  tenantId: string,
  platform: LtiPlatformRow,
  loginRequest: z.output<typeof login>,
  { state, nonce }: { readonly state: string; readonly nonce: string },
): string {
  const to = new URL(platform.authorizationUrl);
  const parameters = {
    scope: "openid",
    response_type: "id_token",
    response_mode: "form_post",
    prompt: "none",
    client_id: platform.clientId,
    redirect_uri: toolUrls(controlApi, tenantId).launchUrl,
    login_hint: loginRequest.login_hint,
    lti_message_hint: loginRequest.lti_message_hint,
    lti_deployment_id: loginRequest.lti_deployment_id,
    state,
    nonce,
  };
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) to.searchParams.set(name, value);
  return to.href;
}
