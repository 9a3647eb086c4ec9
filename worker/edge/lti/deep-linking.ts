// Deep linking: a teacher selects a lesson, and the platform creates a link to it with a line item for its points.
import * as z from "zod";
import { ltiLimits } from "../../../shared/base/lti-limits.ts";
import type { LessonFacts } from "../db/lessons.ts";
import { urlProblem } from "../../lti/ask.ts";
import { type Launch, LaunchRefused } from "../../lti/id-token.ts";
import { claims, messages, version } from "../../lti/names.ts";
import { signClaims } from "../../lti/tool-key.ts";
import { lessonNamed } from "../control-api/lessons.ts";
import type { ControlApiServer } from "../control-api/server.ts";
import type { LtiPlatformRow } from "../db/lti-tables.ts";
import { formUrl, lessonUrl } from "./addresses.ts";
import { read } from "./form.ts";
import { escaped, hidden, htmlPage, originOf } from "./page.ts";
import { type ChoiceTicket, readTicket, ticket } from "./tickets.ts";
import { signingKey } from "./tool-keys.ts";

/** Returns the page on which a teacher selects a lesson. */
export async function choicePage(
  controlApi: ControlApiServer,
  platform: LtiPlatformRow,
  { isTeacher, deepLinking, deploymentId }: Launch,
  frames: readonly string[],
): Promise<Response> {
  if (!deepLinking?.acceptsLinks) throw new LaunchRefused("Your course takes no link to a lesson here.");
  if (!isTeacher) throw new LaunchRefused("Lessons are chosen by who teaches the course.");
  const { returnUrl, data, acceptsLineItem } = deepLinking;
  const wrong = urlProblem(returnUrl, controlApi.asksPrivate);
  if (wrong !== undefined) throw new LaunchRefused(`The address to which the choice goes back ${wrong}.`);
  const { tenantId } = platform;
  const choiceTicket = { platformId: platform.id, deploymentId, returnUrl, data, acceptsLineItem, frames };
  const chosen = await ticket(controlApi, "choice", tenantId, choiceTicket, ltiLimits.pageMs);
  const lessons = (await controlApi.lessons.list(tenantId)).slice(0, ltiLimits.chosenLessons);
  const body =
    lessons.length === 0
      ? "<p>There is no lesson yet. Whoever writes your lessons publishes one: <code>sandbar lesson publish</code>.</p>"
      : `<form method="post" action="${escaped(formUrl(controlApi, tenantId, "choose"))}">${hidden({ ticket: chosen })}
<fieldset><legend>Lessons</legend>${lessons.map(choice).join("")}</fieldset><p><button>Add to the course</button></p></form>`;
  return htmlPage({ title: "Choose a lesson", body: `<h1>Choose a lesson</h1>${body}`, frames });
}

function choice({ name, title, steps, points }: LessonFacts, at: number): string {
  const is = `type="radio" name="lesson" value="${escaped(name)}" required${at === 0 ? " checked" : ""}`;
  return `<label class="choice"><input ${is}> ${escaped(title)} <small>(${steps} steps, ${points} points)</small></label>`;
}

const sent = z.object({ ticket: z.string().min(1), lesson: z.string().min(1).max(ltiLimits.idCharacters) });

/** Returns the page that submits the selection to the platform. */
export async function chosenPage(
  controlApi: ControlApiServer,
  tenantId: string,
  parameters: ReadonlyMap<string, string>,
): Promise<Response> {
  const { ticket: text, lesson } = read(sent, parameters);
  const ticket = await readTicket(controlApi, "choice", tenantId, text);
  const platform = await controlApi.lti.findPlatform(tenantId, ticket.platformId);
  if (!platform) throw new LaunchRefused("The platform is not registered here any more.");
  const { facts } = await lessonNamed(controlApi, tenantId, lesson);
  const jwt = await signClaims(
    controlApi.secret,
    await signingKey(controlApi, tenantId),
    responseOf(controlApi, platform, ticket, facts),
    controlApi.nowMs(),
  );
  const origin = originOf(ticket.returnUrl);
  return htmlPage({
    title: "Back to your course",
    body: `<form id="back" method="post" action="${escaped(ticket.returnUrl)}">${hidden({ JWT: jwt })}
<p><button>Back to your course</button></p></form>`,
    script: `document.getElementById("back").submit();`,
    // Platforms redirect the browser within their own origins.
    sendsTo: origin === undefined ? [] : [origin, ...ticket.frames],
    frames: ticket.frames,
  });
}

function responseOf(
  controlApi: ControlApiServer,
  { clientId, issuer, tenantId }: LtiPlatformRow,
  { deploymentId, data, acceptsLineItem }: ChoiceTicket,
  { name, title, points }: LessonFacts,
): Readonly<Record<string, unknown>> {
  const link = {
    type: "ltiResourceLink",
    title,
    url: lessonUrl(controlApi, tenantId, name),
    custom: { lesson: name },
    ...(acceptsLineItem ? { lineItem: { label: title, scoreMaximum: points, resourceId: name } } : {}),
  };
  return {
    iss: clientId,
    sub: clientId,
    aud: issuer,
    nonce: crypto.randomUUID(),
    [claims.messageType]: messages.deepLinkingResponse,
    [claims.version]: version,
    [claims.deploymentId]: deploymentId,
    [claims.contentItems]: [link],
    [claims.message]: `Added: ${title}`,
    ...(data === undefined ? {} : { [claims.data]: data }),
  };
}
