// A teacher's page: who of the course has come how far in the lesson, from the runs that launches began and the course's members.
import { z } from "zod";
import { ltiLimits } from "../../../shared/base/lti-limits.ts";
import { AccessTokens } from "../../lti/access-token.ts";
import { askingPlatforms } from "../../lti/ask.ts";
import { LaunchRefused } from "../../lti/id-token.ts";
import { type Member, membersOf } from "../../lti/members.ts";
import { isLearner } from "../../lti/roles.ts";
import { lessonNamed } from "../control-api/lessons.ts";
import { makeViewToken } from "../control-api/sandbox-tokens.ts";
import type { ControlApiServer } from "../control-api/server.ts";
import { requireActive, standingOf } from "../control-api/tenancy/plans.ts";
import type { LearnerWithRun } from "../db/lti.ts";
import type { LtiPlatformRow } from "../db/lti-tables.ts";
import { formUrl } from "./addresses.ts";
import { read } from "./form.ts";
import { learn } from "./learner.ts";
import { escaped, hidden, htmlPage, sentOn } from "./page.ts";
import { type BoardTicket, readTicket } from "./tickets.ts";
import { signingKey } from "./tool-keys.ts";

/** What an isolate remembers of platforms' access tokens. */
const tokens = new AccessTokens();
const watchSeconds = 3600;

const sent = z.object({
  ticket: z.string().min(1),
  act: z.enum(["look", "try", "watch"]).default("look"),
  /** Whose sandbox is watched. */
  learner: z.string().min(1).max(ltiLimits.idCharacters).optional(),
});

/** What the page's buttons send. */
export async function onBoard(
  controlApi: ControlApiServer,
  tenantId: string,
  given: ReadonlyMap<string, string>,
): Promise<Response> {
  const { ticket: text, act, learner } = read(sent, given);
  const said = await readTicket(controlApi, "board", tenantId, text);
  const platform = await controlApi.lti.findPlatform(tenantId, said.platformId);
  if (!platform) throw new LaunchRefused("The platform is not registered here any more.");
  requireActive(await standingOf(controlApi, tenantId));
  if (act === "try") {
    const { lesson, link: resourceLinkId, userId, name, frames } = said;
    const trying = { lesson, resourceLinkId, userId, name, frames };
    // A teacher has no grade.
    return sentOn(await learn(controlApi, platform, { ...trying, lineItem: "", lineItems: "", isCanvas: false }));
  }
  if (act === "watch") return sentOn(await watching(controlApi, platform, said, learner ?? ""));
  return boardPage(controlApi, platform, said, text);
}

/** A page on which the learner's sandbox is seen, and nothing can be done. */
async function watching(
  controlApi: ControlApiServer,
  { tenantId, id: platformId }: LtiPlatformRow,
  { link, lesson, frames }: BoardTicket,
  userId: string,
): Promise<string> {
  const learner = await controlApi.lti.findLearner({ platformId, link, userId });
  const run = learner?.run ? await controlApi.lessons.findRun(tenantId, lesson, learner.run) : undefined;
  if (!run) throw new LaunchRefused("The learner has not begun.");
  const asked = { ttlSeconds: watchSeconds, groups: [], frameOrigins: [...frames] };
  return (await makeViewToken(controlApi, tenantId, run.sandboxId, asked)).url;
}

export async function boardPage(
  controlApi: ControlApiServer,
  platform: LtiPlatformRow,
  said: BoardTicket,
  ticket: string,
): Promise<Response> {
  const { tenantId } = platform;
  const { facts } = await lessonNamed(controlApi, tenantId, said.lesson);
  const begun = await controlApi.lti.learnersOf(platform.id, said.link, ltiLimits.boardRows);
  const roster = await rosterOf(controlApi, platform, said.membersUrl);
  const button = (act: string, label: string, more: Readonly<Record<string, string>> = {}) =>
    `<form class="row" method="post" action="${escaped(formUrl(controlApi, tenantId, "board"))}">${hidden({ ticket, act, ...more })}<button>${escaped(label)}</button></form>`;
  const rows = rowsOf(begun, roster.members, controlApi.nowMs());
  const table = rows.map(({ userId, cells, isLive }) => {
    const watch = isLive ? button("watch", "Watch", { learner: userId }) : "";
    return `<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join("")}<td>${watch}</td></tr>`;
  });
  const course = said.courseTitle === "" ? "" : `<p>${escaped(said.courseTitle)}</p>`;
  const note =
    roster.error === "" ? "" : `<p>The course's members could not be asked for: ${escaped(roster.error)}.</p>`;
  return htmlPage({
    title: facts.title,
    body: `<h1>${escaped(facts.title)}</h1>${course}${note}
<p>${button("look", "Refresh")}${button("try", "Try it as a learner")}</p>
<div class="wide"><table><thead><tr><th>Learner</th><th>Where</th><th>Points</th><th>Last check</th><th></th></tr></thead>
<tbody>${table.join("") || '<tr><td colspan="5">Nobody has begun.</td></tr>'}</tbody></table></div>`,
    // The browser is sent on to the service's own pages.
    frames: said.frames,
  });
}

async function rosterOf(
  controlApi: ControlApiServer,
  { tenantId, clientId, tokenUrl, audience }: LtiPlatformRow,
  membersUrl: string,
): Promise<{ readonly members: readonly Member[]; readonly error: string }> {
  if (membersUrl === "") return { members: [], error: "" };
  const asking = {
    ask: askingPlatforms(controlApi.node),
    tokens,
    secret: controlApi.secret,
    nowMs: controlApi.nowMs(),
  };
  const key = await signingKey(controlApi, tenantId);
  const found = await membersOf({ clientId, tokenUrl, audience }, key, membersUrl, asking);
  return "error" in found ? { members: [], error: found.error } : { members: found.members, error: "" };
}

interface Row {
  readonly userId: string;
  readonly cells: readonly string[];
  /** The run's sandbox is there. */
  readonly isLive: boolean;
}

/** Who has begun, then who has not. */
function rowsOf(begun: readonly LearnerWithRun[], members: readonly Member[], nowMs: number): Row[] {
  const names = new Map(members.map(({ userId, name }) => [userId, name]));
  const known = new Set(begun.map(({ learner }) => learner.userId));
  const others = members.filter(({ userId, roles }) => isLearner(roles) && !known.has(userId));
  const rows = begun.map((one) => rowOf(one, names.get(one.learner.userId) ?? "", nowMs));
  return [
    ...rows,
    ...others.slice(0, Math.max(0, ltiLimits.boardRows - rows.length)).map(({ userId, name }) => {
      return { userId, cells: [name || userId, "not begun", "", ""], isLive: false };
    }),
  ];
}

function rowOf({ learner, run }: LearnerWithRun, name: string, nowMs: number): Row {
  const { userId, points, maxPoints } = learner;
  const isOver = run !== undefined && run.expiresAtMs <= nowMs;
  const where = !run ? "begun" : run.isFinished ? "finished" : `step ${run.step}${isOver ? ", time is up" : ""}`;
  const last = run ? `${new Date(run.changedAtMs).toISOString().slice(0, 16).replace("T", " ")} UTC` : "";
  const scored = maxPoints > 0 ? `${points} of ${maxPoints}` : "0";
  return { userId, cells: [name || learner.name || userId, where, scored, last], isLive: run !== undefined && !isOver };
}
