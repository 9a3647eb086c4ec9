// Scores of the Assignment and Grade Services: one learner's best so far in one lesson, sent to the platform's line item.
import { z } from "zod";
import { ltiLimits } from "../../shared/base/lti-limits.ts";
import type { Asking, Client } from "./access-token.ts";
import { jsonOf } from "./ask.ts";
import { canvasSubmission, scopes } from "./names.ts";
import type { ToolKey } from "./tool-key.ts";

/** All that is needed to send it, whenever that succeeds. */
export interface Score {
  readonly client: Client;
  readonly key: ToolKey;
  /** Where it belongs; empty: it is looked for, or made, below `lineItems`. */
  readonly lineItem: string;
  readonly lineItems: string;
  readonly resourceLinkId: string;
  readonly lesson: string;
  readonly title: string;
  /** As the platform calls the learner. */
  readonly userId: string;
  readonly points: number;
  readonly maxPoints: number;
  readonly isFinished: boolean;
  readonly comment: string;
  /** Canvas counts a submission with each score, unless it is told not to. */
  readonly isCanvas: boolean;
}

/** What came of it, as of any delivery. */
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
  const asksForItem = score.lineItem === "";
  const wanted = asksForItem ? [scopes.lineItem, scopes.score] : [scopes.score];
  const granted = await asking.tokens.get(score.client, score.key, wanted, asking);
  if ("error" in granted) return granted;
  const { token } = granted;
  const found = asksForItem ? await itemFor(score, asking, token) : { url: score.lineItem };
  const sent = "error" in found ? found : await post(score, found.url, asking, token);
  if (sent.status === 401) asking.tokens.forget(score.client, score.key, wanted);
  return sent;
}

async function post(score: Score, item: string, { ask, nowMs }: Asking, token: string): Promise<Sent> {
  const headers = { authorization: `Bearer ${token}`, "content-type": scoreType };
  const body = JSON.stringify(messageOf(score, nowMs));
  const answer = await ask({ url: below(item, "scores"), method: "POST", headers, body });
  if ("error" in answer) return answer;
  return { status: answer.status };
}

/**
 * The time is that of sending: platforms refuse what is not later than what they have (Moodle by the second), and there is never an older
 * score of the same learner that waits.
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
    // Whatever else is said here, Canvas and Moodle do not count the points.
    gradingProgress: "FullyGraded",
    ...(isCanvas ? { [canvasSubmission]: { new_submission: isFinished } } : {}),
  };
}

/** The line item of this link, which is made where there is none. */
async function itemFor(
  score: Score,
  { ask }: Asking,
  token: string,
): Promise<{ readonly url: string } | (Sent & { error: string })> {
  const { lineItems, resourceLinkId, lesson, title, maxPoints } = score;
  if (lineItems === "") return { error: "the platform names no line item" };
  const authorization = `Bearer ${token}`;
  const listed = jsonOf(
    await ask({
      url: asked(lineItems, { resource_link_id: resourceLinkId, limit: "10" }),
      headers: { authorization, accept: lineItemsType },
    }),
  );
  if ("error" in listed) return { ...listed, error: `its line items: ${listed.error}` };
  const items = z.array(lineItem).catch([]).parse(listed.json);
  const own = items.find((one) => one.resourceLinkId === resourceLinkId && (one.resourceId ?? lesson) === lesson);
  if (own) return { url: own.id };
  const item = { scoreMaximum: maxPoints, label: title, resourceLinkId, resourceId: lesson };
  const made = jsonOf(
    await ask({
      url: lineItems,
      method: "POST",
      headers: { authorization, "content-type": lineItemType, accept: lineItemType },
      body: JSON.stringify(item),
    }),
  );
  if ("error" in made) return { ...made, error: `its new line item: ${made.error}` };
  const given = lineItem.safeParse(made.json);
  return given.success ? { url: given.data.id } : { error: "its new line item has no address" };
}

/** A path below an address that may have a query, as Moodle's have. */
function below(text: string, part: string): string {
  if (!URL.canParse(text)) return text;
  const address = new URL(text);
  address.pathname = `${address.pathname}/${part}`;
  return address.href;
}

function asked(text: string, query: Readonly<Record<string, string>>): string {
  if (!URL.canParse(text)) return text;
  const address = new URL(text);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  return address.href;
}
