// Invitations: by e-mail through a provider's API that is played here, and once they were used.
import { describe, expect, test } from "vitest";
import { mailSettings } from "../../shared/contract/hosted/mail.ts";
import { errorBody } from "../../shared/contract/error.ts";
import { addPerson } from "./people.ts";
import { newService } from "./service.ts";

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

async function begin(...statuses: number[]) {
  const harness = await newService();
  const sent: Sent[] = [];
  harness.service.mail = {
    ...mailSettings.parse({
      url: "https://api.mail.example.org/send",
      headers: { Authorization: "Bearer {key}" },
      body: { to: [{ email: "{to}" }], subject: "{subject}", content: [{ type: "text/plain", value: "{text}" }], n: 1 },
    }),
    key: "s3cret",
  };
  harness.service.localService = {
    fetch: async (_url: string, init?: RequestInit) => {
      const call = JSON.parse(init?.body as string) as { readonly headers: [string, string][]; readonly body: string };
      const body: unknown = JSON.parse(Buffer.from(call.body, "base64").toString());
      sent.push({ headers: Object.fromEntries(call.headers), body });
      const status = statuses.shift() ?? 202;
      return Response.json(status === 0 ? { id: "", error: "refused" } : { id: "", status, headers: [], body: "" });
    },
  };
  const invite = async (body: object) =>
    (await harness.send("POST", "/v1/invitations", { body })).json<{
      id: string;
      url: string;
      code: string;
      mail: string;
    }>();
  const listed = async () =>
    (await (await harness.send("GET", "/v1/invitations")).json<{ invitations: { mail?: string; email?: string }[] }>())
      .invitations;
  return { ...harness, sent, invite, listed };
}

describe("O13: an invitation by e-mail", () => {
  test("is sent after the answer, by the request of the settings", async () => {
    const { invite, listed, settled, sent } = await begin();
    const invitation = await invite({ email: "eve@example.org", role: "viewer" });
    expect(invitation.mail).toBe("sending");
    await settled();
    expect(await listed()).toMatchObject([{ email: "eve@example.org", mail: "sent" }]);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.headers).toMatchObject({ authorization: "Bearer s3cret", "content-type": "application/json" });
    expect(sent[0]?.body).toEqual({
      to: [{ email: "eve@example.org" }],
      subject: "operator invites you to ada",
      content: [{ type: "text/plain", value: expect.stringContaining(invitation.url) }],
      n: 1,
    });
  });

  test("cannot change the request by a name", async () => {
    const { send, settled, sent, invite } = await begin();
    await send("PATCH", "/v1/tenant", { body: { name: 'A", "to": "{key} {url}' } });
    await invite({ email: "eve@example.org" });
    await settled();
    expect(sent[0]?.body).toMatchObject({ subject: expect.stringContaining('A", "to": "{key} {url}') });
  });

  test.each([
    ["is tried again after a failure of the provider", [503, 202], "sent", 2],
    ["is tried again if the provider cannot be reached", [0, 202], "sent", 2],
    ["is tried again if there were too many", [429, 202], "sent", 2],
    ["is not tried again after a refusal", [401], "failed", 1],
    ["fails after the last attempt", [500, 500], "failed", 2],
  ])("%s", async (_, statuses, mail, attempts) => {
    const { invite, listed, settled, sent, notes, errors } = await begin(...statuses);
    await invite({ email: "eve@example.org" });
    await settled();
    expect([(await listed())[0]?.mail, sent.length]).toEqual([mail, attempts]);
    expect(notes.length).toBe(mail === "failed" ? 1 : 0);
    expect(notes.join()).not.toContain("s3cret");
    expect(errors).toEqual([]);
  });

  test("is only noted by a service that sends none, and one without an address is not sent", async () => {
    const { service, invite, listed, settled, sent, time } = await begin();
    await invite({});
    time.nowMs += 1;
    service.mail = undefined;
    const { mail } = await invite({ email: "eve@example.org" });
    await settled();
    expect([mail, sent]).toEqual([undefined, []]);
    expect((await listed()).map(({ email }) => email)).toEqual(["eve@example.org", undefined]);
  });

  test.each(["x", "a@b", "a b@example.org", `${"a".repeat(65)}@example.org`, "a@example.org\r\nBcc: b@example.org"])(
    "to %j is refused",
    async (email) => {
      const { send } = await begin();
      expect((await send("POST", "/v1/invitations", { body: { email } })).status).toBe(400);
    },
  );
});

describe("O13: a used invitation", () => {
  test("says so to a person with its link, is not listed, and cannot be withdrawn", async () => {
    const { send, invite, listed, database, time } = await begin();
    const bob = await addPerson(database, "bob", { tenant: "bob", role: "owner", nowMs: time.nowMs });
    const { id, code } = await invite({});
    const take = () => send("POST", "/v1/me/memberships", { cookie: bob.cookie, body: { invitation: code } });
    expect((await take()).status).toBe(200);
    const again = await send("POST", "/v1/join/options", {
      key: "",
      headers: { "sec-fetch-site": "same-origin" },
      body: { invitation: code, name: "Eve" },
    });
    const { error } = errorBody.parse(await again.json());
    expect([again.status, error.code]).toEqual([410, "invitation_used"]);
    expect(error.message).toContain("accepted before");
    expect(await listed()).toEqual([]);
    expect((await send("DELETE", `/v1/invitations/${id}`)).status).toBe(404);
  });
});
