// E-mail of invitations through a provider's HTTP API. The request is a template of JSON; it is sent after the response, and never blocks.
import { identityLimits } from "../../../../shared/base/request-limits.ts";
import type { MailSettings } from "../../../../shared/contract/hosted/mail.ts";
import { askingPlatforms } from "../../../lti/ask.ts";
import type { InvitationRow } from "../../db/tenant-tables.ts";
import type { ControlApiServer } from "../server.ts";

export interface InvitationMail {
  readonly row: InvitationRow;
  readonly organisation: string;
  readonly url: string;
}

/** Sends the e-mail of an invitation after the response, and stores its outcome. */
export function sendInvitation(controlApi: ControlApiServer, mail: InvitationMail): void {
  controlApi.later(async () => {
    const problem = await sendRepeatedly(controlApi, mail);
    if (problem !== undefined) controlApi.note("mail_failed", problem);
    await controlApi.members.noteMail(mail.row.hash, problem === undefined ? "sent" : "failed");
  }, "an invitation's e-mail");
}

/** Returns undefined after a success, or the last problem. A refusal by the provider (400 to 499, but 429) is not repeated. */
async function sendRepeatedly(controlApi: ControlApiServer, mail: InvitationMail): Promise<string | undefined> {
  for (const pauseMs of [...identityLimits.mailPausesMs, undefined]) {
    const { problem, isFinal } = await send(controlApi, mail);
    if (problem === undefined || isFinal || pauseMs === undefined) return problem;
    await controlApi.wait(pauseMs);
  }
  return undefined;
}

async function send({ mail, localService }: ControlApiServer, invitation: InvitationMail) {
  if (!mail) return { problem: "no e-mail is configured", isFinal: true };
  const values = valuesOf(invitation);
  const headers = Object.entries(mail.headers).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    filled(value, { ...values, key: mail.key }).replaceAll(/[\r\n]/g, " "),
  ]);
  const ask = askingPlatforms(localService);
  const answer = await ask({
    url: mail.url,
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": "sandbar", ...Object.fromEntries(headers) },
    body: JSON.stringify(filledJson(mail.body, values)),
  });
  if ("error" in answer) return { problem: `the e-mail provider: ${answer.error}`, isFinal: false };
  const { status } = answer;
  if (status >= 200 && status <= 299) return { problem: undefined, isFinal: true };
  return { problem: `the e-mail provider answered ${status}`, isFinal: status < 500 && status !== 429 };
}

function valuesOf({ row, organisation, url }: InvitationMail): Readonly<Record<string, string>> {
  const { email, role, invitedBy, expiresAtMs } = row;
  const until = new Date(expiresAtMs).toISOString().slice(0, 10);
  return {
    ...{ to: email, role, inviter: invitedBy, organisation, url },
    subject: `${invitedBy} invites you to ${organisation}`,
    text: `${invitedBy} invites you to join ${organisation} as ${role}.\n\nJoin: ${url}\n\nThe link is for you alone, and valid until ${until}.\n`,
  };
}

function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder);
}

/** Fills the texts of a JSON value, so that a value cannot change the structure of the request. */
function filledJson(value: MailSettings["body"], values: Readonly<Record<string, string>>): unknown {
  if (typeof value === "string") return filled(value, values);
  if (Array.isArray(value)) return value.map((item) => filledJson(item, values));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, filledJson(item, values)]));
}
