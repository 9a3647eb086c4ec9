// A launch: the browser that began the login returns once with the platform's id token and is sent to the lesson.
import { parse } from "hono/utils/cookie";
import * as z from "zod";
import { ltiLimits } from "../../../shared/base/lti-limits.ts";
import { askingPlatforms } from "../../lti/ask.ts";
import { type Launch, LaunchRefused, verifiedLaunch } from "../../lti/id-token.ts";
import { messages } from "../../lti/names.ts";
import { PlatformKeys } from "../../lti/platform-keys.ts";
import { requireOwnPage } from "../control-api/access/cookies.ts";
import { requireActive, standingOf } from "../control-api/tenancy/plans.ts";
import type { ControlApiServer } from "../control-api/server.ts";
import type { LtiPlatformRow } from "../db/lti-tables.ts";
import { hashOf, sameText } from "../mac.ts";
import { toolUrls } from "./addresses.ts";
import { boardPage } from "./board.ts";
import { choicePage } from "./deep-linking.ts";
import { frameOriginsOf } from "./frames.ts";
import { learn } from "./learner.ts";
import { cookieName } from "./login.ts";
import { escaped, hidden, htmlPage, redirectTo } from "./page.ts";
import { read } from "./form.ts";
import { storageScript } from "./platform-storage.ts";
import { type LoginTicket, readTicket, ticket } from "./tickets.ts";

/** The platforms' keys that an isolate caches. */
const platformKeys = new PlatformKeys();

const sent = z.object({
  id_token: z.string().min(1).optional(),
  state: z.string().min(1),
  /** The proof from the platform's storage. */
  proof: z.string().max(100).optional(),
  /** The error of a platform that does not identify the user, as in OpenID Connect. */
  error: z.string().max(100).optional(),
  error_description: z.string().max(1_000).optional(),
});

export async function launch(
  controlApi: ControlApiServer,
  tenantId: string,
  parameters: ReadonlyMap<string, string>,
  headers: Headers,
): Promise<Response> {
  const { state, proof, ...message } = read(sent, parameters);
  const login = await readTicket(controlApi, "login", tenantId, state);
  if (message.id_token === undefined) {
    throw new LaunchRefused(
      `The platform did not say who you are: ${message.error_description ?? message.error ?? "it gives no reason"}.`,
    );
  }
  const platform = await controlApi.lti.findPlatform(tenantId, login.platformId);
  if (!platform) throw new LaunchRefused("The platform is not registered here any more.");
  const verified = await verifiedLaunch(message.id_token, platform, {
    ask: askingPlatforms(controlApi.localService),
    keys: platformKeys,
    nonce: login.nonce,
    nowMs: controlApi.nowMs(),
  });
  // Accepts the proof from the platform's page only through our own page.
  if (proof !== undefined) requireOwnPage(controlApi.console, headers);
  const browserProof = proof ?? cookieOf(login, headers);
  if (browserProof === undefined && login.storage !== "")
    return proofPage(controlApi, tenantId, platform, login, { state, id_token: message.id_token });
  if (browserProof === undefined || !sameText(await hashOf(browserProof), login.proof)) {
    throw new LaunchRefused(
      "The launch was begun in another browser, or this one has forgotten it: open the lesson again.",
    );
  }
  if (!(await controlApi.lti.use(await hashOf(login.nonce), login.untilMs))) {
    throw new LaunchRefused("This launch was used before: open the lesson again from your course.");
  }
  requireActive(await standingOf(controlApi, tenantId));
  return arrive(controlApi, platform, verified);
}

function cookieOf({ nonce }: LoginTicket, headers: Headers): string | undefined {
  const name = cookieName(nonce);
  return parse(headers.get("cookie") ?? "", name)[name] || undefined;
}

async function arrive(controlApi: ControlApiServer, platform: LtiPlatformRow, launchClaims: Launch): Promise<Response> {
  const { tenantId } = platform;
  const frames = frameOriginsOf(platform, launchClaims);
  if (launchClaims.messageType === messages.deepLinking) return choicePage(controlApi, platform, launchClaims, frames);
  if (launchClaims.userId === "") {
    throw new LaunchRefused("The platform does not say who you are: an administrator lets it send an id to this tool.");
  }
  const lesson = lessonOf(controlApi, tenantId, launchClaims);
  if (lesson === "") {
    throw new LaunchRefused(
      "The link names no lesson: choose one by editing the link, or add the custom parameter lesson=NAME.",
    );
  }
  if (!launchClaims.isTeacher)
    return redirectTo(await learn(controlApi, platform, { ...launchClaims, lesson, frames }));
  const page = {
    platformId: platform.id,
    link: launchClaims.resourceLinkId,
    lesson,
    courseTitle: launchClaims.contextTitle,
    membersUrl: launchClaims.membersUrl,
    userId: launchClaims.userId,
    name: launchClaims.name,
    frames,
  };
  return boardPage(controlApi, platform, page, await ticket(controlApi, "board", tenantId, page, ltiLimits.pageMs));
}

/** Returns the lesson of the custom parameter, or the one in the link's URL. */
function lessonOf(controlApi: ControlApiServer, tenantId: string, { lesson, targetLinkUri }: Launch): string {
  if (lesson !== "" || !URL.canParse(targetLinkUri)) return lesson;
  const { origin, pathname, searchParams } = new URL(targetLinkUri);
  const isOurs = origin + pathname === toolUrls(controlApi, tenantId).launchUrl;
  return isOurs ? (searchParams.get("lesson") ?? "") : "";
}

/** Returns a page that reads the login's proof from the platform's page and submits it. */
function proofPage(
  controlApi: ControlApiServer,
  tenantId: string,
  { authorizationUrl }: LtiPlatformRow,
  { nonce, storage }: LoginTicket,
  again: Readonly<Record<string, string>>,
): Response {
  return htmlPage({
    title: "From your course",
    body: `<p id="wait">One moment …</p><p id="lost" hidden>Your course's page has forgotten this launch: open the lesson again.</p>
<form id="again" method="post" action="${escaped(toolUrls(controlApi, tenantId).launchUrl)}">${hidden({ ...again, proof: "" })}</form>
<noscript><p>This page needs JavaScript.</p></noscript>`,
    script: `${storageScript}${proofScript}`,
    data: { storage, origin: new URL(authorizationUrl).origin, key: cookieName(nonce) },
    frames: ["*"],
  });
}

const proofScript = `
const form = document.getElementById("again");
ask("lti.get_data", { key: data.key }).then((value) => { form.elements.proof.value = String(value); form.submit(); }, () => {
  document.getElementById("wait").hidden = true;
  document.getElementById("lost").hidden = false;
});
`;
