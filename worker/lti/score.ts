// Scores of the Assignment and Grade Services: the best score of a learner in a lesson, sent to the platform's line item.
import * as z from "zod";
import { ltiLimits } from "../../shared/base/lti-limits.ts";
import type { Asking, Client } from "./access-token.ts";
import { jsonOf } from "./ask.ts";
import { canvasSubmission, scopes } from "./names.ts";
import type { ToolKey } from "./tool-key.ts";

/** The complete data for sending, independent of the time. */
export interface Score {
  readonly client: Client;
  readonly key: ToolKey;
  /** The line item; if empty, it is searched for or created below `lineItems`. */
  readonly lineItem: string;
  readonly lineItems: string;
  readonly resourceLinkId: string;
  readonly lesson: string;
  readonly title: string;
  /** The platform's id of the learner. */
  readonly userId: string;
  readonly points: number;
  readonly maxPoints: number;
  readonly isFinished: boolean;
  readonly comment: string;
  /** True for Canvas, which otherwise counts a submission with each score. */
  readonly isCanvas: boolean;
}

/** The outcome of sending: the platform's status, or an error if there was no usable response. */
export interface Sent {
  readonly status?: number;
  readonly error?: string;
}

const lineItemType = "application/vnd.ims.lis.v2.lineitem+json";
const lineItemsType = "application/vnd.ims.lis.v2.lineitemcontainer+json";
const scoreType = "application/vnd.ims.lis.v1.score+json";

const url = z.string().max(ltiLimits.urlCharacters);
const lineItem = z.object({
  id: url,
  resourceLinkId: z.string().nullish(),
  resourceId: z.string().nullish(),
});

/** Never rejects because of the platform. */
export async function sendScore(score: Score, asking: Asking): Promise<Sent> {
  const needsLineItem = score.lineItem === "";
  const requiredScopes = needsLineItem ? [scopes.lineItem, scopes.score] : [scopes.score];
  const granted = await asking.tokens.get(score.client, score.key, requiredScopes, asking);
  if ("error" in granted) return granted;
  const { token } = granted;
  const item = needsLineItem ? await ensureLineItem(score, asking, token) : { url: score.lineItem };
  const sent = "error" in item ? item : await post(score, item.url, asking, token);
  if (sent.status === 401) asking.tokens.forget(score.client, score.key, requiredScopes);
  return sent;
}

async function post(score: Score, item: string, { ask, nowMs }: Asking, token: string): Promise<Sent> {
  const headers = { authorization: `Bearer ${token}`, "content-type": scoreType };
  const body = JSON.stringify(messageOf(score, nowMs));
  const answer = await ask({ url: appendPath(item, "scores"), method: "POST", headers, body });
  if ("error" in answer) return answer;
  return { status: answer.status };
}

/**
 * Returns the score's message. The timestamp is the time of sending, because platforms reject a score that is not later than the previous
 * one (Moodle by the second). A learner's older scores are not queued, so none overtakes a newer one.
 */
function messageOf(score: Score, nowMs: number): object {
  const { userId, points, maxPoints, isFinished, comment, isCanvas } = score;
  return {
    userId,
    scoreGiven: points,
    scoreMaximum: maxPoints,
    comment,
    timestamp: new Date(nowMs).toISOString(),
    activityProgress: isFinished ? "Completed" : "InProgress",
    // With any other value, Canvas and Moodle do not count the points.
    gradingProgress: "FullyGraded",
    ...(isCanvas ? { [canvasSubmission]: { new_submission: isFinished } } : {}),
  };
}

/** Finds the line item of this link, or creates it. */
async function ensureLineItem(
  score: Score,
  { ask }: Asking,
  token: string,
): Promise<{ readonly url: string } | (Sent & { error: string })> {
  const { lineItems, resourceLinkId, lesson, title, maxPoints } = score;
  if (lineItems === "") return { error: "the platform names no line item" };
  const authorization = `Bearer ${token}`;
  const listed = jsonOf(
    await ask({
      url: withQuery(lineItems, { resource_link_id: resourceLinkId, limit: "10" }),
      headers: { authorization, accept: lineItemsType },
    }),
  );
  if ("error" in listed) return { ...listed, error: `its line items: ${listed.error}` };
  const items = z.array(lineItem).catch([]).parse(listed.json);
  const linkItem = items.find(
    (candidate) => candidate.resourceLinkId === resourceLinkId && (candidate.resourceId ?? lesson) === lesson,
  );
  if (linkItem) return { url: linkItem.id };
  const item = { scoreMaximum: maxPoints, label: title, resourceLinkId, resourceId: lesson };
  const creation = jsonOf(
    await ask({
      url: lineItems,
      method: "POST",
      headers: { authorization, "content-type": lineItemType, accept: lineItemType },
      body: JSON.stringify(item),
    }),
  );
  if ("error" in creation) return { ...creation, error: `its new line item: ${creation.error}` };
  const createdItem = lineItem.safeParse(creation.json);
  return createdItem.success ? { url: createdItem.data.id } : { error: "its new line item has no address" };
}

/** Appends a path to a URL that may have a query, as Moodle's have. */
function appendPath(text: string, pathSegment: string): string {
  if (!URL.canParse(text)) return text;
  const address = new URL(text);
  address.pathname = `${address.pathname}/${pathSegment}`;
  return address.href;
}

function withQuery(text: string, query: Readonly<Record<string, string>>): string {
  if (!URL.canParse(text)) return text;
  const address = new URL(text);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  return address.href;
}
