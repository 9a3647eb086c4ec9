// A teacher's progress page: the runs of launches, and the course's members without a run.
import * as z from "zod";
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
import { escaped, hidden, htmlPage, redirectTo } from "./page.ts";
import { type BoardTicket, readTicket } from "./tickets.ts";
import { signingKey } from "./tool-keys.ts";

/** The platforms' access tokens that an isolate caches. */
const tokens = new AccessTokens();
const watchSeconds = 3600;

const sent = z.object({
  ticket: z.string().min(1),
  act: z.enum(["look", "try", "watch"]).default("look"),
  /** The learner whose sandbox is watched. */
  learner: z.string().min(1).max(ltiLimits.idCharacters).optional(),
  /** The name of the watched cluster, if the exam has several. */
  cluster: z.string().min(1).max(ltiLimits.idCharacters).optional(),
});

/** Handles the buttons of the page. */
export async function onBoard(
  controlApi: ControlApiServer,
  tenantId: string,
  parameters: ReadonlyMap<string, string>,
): Promise<Response> {
  const { ticket: text, act, learner, cluster } = read(sent, parameters);
  const ticket = await readTicket(controlApi, "board", tenantId, text);
  const platform = await controlApi.lti.findPlatform(tenantId, ticket.platformId);
  if (!platform) throw new LaunchRefused("The platform is not registered here any more.");
  requireActive(await standingOf(controlApi, tenantId));
  if (act === "try") {
    const { lesson, link: resourceLinkId, userId, name, frames } = ticket;
    const trying = { lesson, resourceLinkId, userId, name, frames };
    // A teacher's trial run is not graded.
    return redirectTo(await learn(controlApi, platform, { ...trying, lineItem: "", lineItems: "", isCanvas: false }));
  }
  if (act === "watch") return redirectTo(await watching(controlApi, platform, ticket, { learner, cluster }));
  return boardPage(controlApi, platform, ticket, text);
}

/** Returns a read-only page of the learner's sandbox: of the first cluster if no name is given. */
async function watching(
  controlApi: ControlApiServer,
  { tenantId, id: platformId }: LtiPlatformRow,
  { link, lesson, frames }: BoardTicket,
  { learner: userId = "", cluster }: { readonly learner?: string | undefined; readonly cluster?: string | undefined },
): Promise<string> {
  const learner = await controlApi.lti.findLearner({ platformId, link, userId });
  const run = learner?.run ? await controlApi.lessons.findRun(tenantId, lesson, learner.run) : undefined;
  if (!run) throw new LaunchRefused("The learner has not begun.");
  const sandboxId =
    cluster === undefined ? run.sandboxId : run.clusters.find(({ name }) => name === cluster)?.sandboxId;
  if (sandboxId === undefined) throw new LaunchRefused("The exam has no such cluster.");
  const tokenRequest = { ttlSeconds: watchSeconds, groups: [], frameOrigins: [...frames] };
  return (await makeViewToken(controlApi, tenantId, sandboxId, tokenRequest)).url;
}

export async function boardPage(
  controlApi: ControlApiServer,
  platform: LtiPlatformRow,
  claims: BoardTicket,
  ticket: string,
): Promise<Response> {
  const { tenantId } = platform;
  const { facts } = await lessonNamed(controlApi, tenantId, claims.lesson);
  const begun = await controlApi.lti.learnersOf(platform.id, claims.link, ltiLimits.boardRows);
  const roster = await rosterOf(controlApi, platform, claims.membersUrl);
  const button = (act: string, label: string, more: Readonly<Record<string, string>> = {}) =>
    `<form class="row" method="post" action="${escaped(formUrl(controlApi, tenantId, "board"))}">${hidden({ ticket, act, ...more })}<button>${escaped(label)}</button></form>`;
  const rows = rowsOf(begun, roster.members, controlApi.nowMs());
  const table = rows.map(({ userId, cells, isLive, clusters }) => {
    const watched =
      clusters.length === 0
        ? button("watch", "Watch", { learner: userId })
        : clusters.map((cluster) => button("watch", `Watch ${cluster}`, { learner: userId, cluster })).join(" ");
    const watch = isLive ? watched : "";
    return `<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join("")}<td>${watch}</td></tr>`;
  });
  const course = claims.courseTitle === "" ? "" : `<p>${escaped(claims.courseTitle)}</p>`;
  const note =
    roster.error === "" ? "" : `<p>The course's members could not be asked for: ${escaped(roster.error)}.</p>`;
  return htmlPage({
    title: facts.title,
    body: `<h1>${escaped(facts.title)}</h1>${course}${note}
<p>${button("look", "Refresh")}${button("try", "Try it as a learner")}</p>
<div class="wide"><table><thead><tr><th>Learner</th><th>Where</th><th>Points</th><th>Last check</th><th></th></tr></thead>
<tbody>${table.join("") || '<tr><td colspan="5">Nobody has begun.</td></tr>'}</tbody></table></div>`,
    // The browser is redirected to the service's own pages.
    frames: claims.frames,
  });
}

async function rosterOf(
  controlApi: ControlApiServer,
  { tenantId, clientId, tokenUrl, audience }: LtiPlatformRow,
  membersUrl: string,
): Promise<{ readonly members: readonly Member[]; readonly error: string }> {
  if (membersUrl === "") return { members: [], error: "" };
  const asking = {
    ask: askingPlatforms(controlApi.localService),
    tokens,
    secret: controlApi.secret,
    nowMs: controlApi.nowMs(),
  };
  const key = await signingKey(controlApi, tenantId);
  const membership = await membersOf({ clientId, tokenUrl, audience }, key, membersUrl, asking);
  return "error" in membership ? { members: [], error: membership.error } : { members: membership.members, error: "" };
}

interface Row {
  readonly userId: string;
  readonly cells: readonly string[];
  /** True if the run's sandbox exists. */
  readonly isLive: boolean;
  /** The names of the clusters of an exam that has several. */
  readonly clusters: readonly string[];
}

/** Lists learners with a run first, then those without. */
function rowsOf(begun: readonly LearnerWithRun[], members: readonly Member[], nowMs: number): Row[] {
  const names = new Map(members.map(({ userId, name }) => [userId, name]));
  const learnerIds = new Set(begun.map(({ learner }) => learner.userId));
  const remainingMembers = members.filter(({ userId, roles }) => isLearner(roles) && !learnerIds.has(userId));
  const rows = begun.map((learner) => rowOf(learner, names.get(learner.learner.userId) ?? "", nowMs));
  return [
    ...rows,
    ...remainingMembers.slice(0, Math.max(0, ltiLimits.boardRows - rows.length)).map(({ userId, name }) => {
      return { userId, cells: [name || userId, "not begun", "", ""], isLive: false, clusters: [] };
    }),
  ];
}

function rowOf({ learner, run }: LearnerWithRun, name: string, nowMs: number): Row {
  const { userId, points, maxPoints } = learner;
  const isOver = run !== undefined && run.expiresAtMs <= nowMs;
  const where = !run ? "begun" : run.isFinished ? "finished" : `step ${run.step}${isOver ? ", time is up" : ""}`;
  const last = run ? `${new Date(run.changedAtMs).toISOString().slice(0, 16).replace("T", " ")} UTC` : "";
  const scored = maxPoints > 0 ? `${points} of ${maxPoints}` : "0";
  return {
    userId,
    cells: [name || learner.name || userId, where, scored, last],
    isLive: run !== undefined && !isOver,
    clusters: run?.clusters.map((cluster) => cluster.name) ?? [],
  };
}
