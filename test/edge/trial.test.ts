// Trials: some work, one sandbox for it, and only some of an address.
import { describe, expect, test } from "vitest";
import { solveChallenge } from "../../client/work.ts";
import { errorBody } from "../../shared/contract/error.ts";
import { limits } from "../../shared/base/limits.ts";
import { sandboxWithToken } from "../../shared/contract/sandbox.ts";
import { challenge } from "../../shared/contract/hosted/trial.ts";
import { newService } from "./service.ts";

type Harness = Awaited<ReturnType<typeof newService>>;

async function begin(difficulty: number | undefined = 6): Promise<Harness> {
  const harness = await newService();
  harness.service.trialDifficulty = difficulty;
  return harness;
}

const from = (address: string) => ({ key: "", headers: { "cf-connecting-ip": address } });

async function work({ send }: Harness, address = "192.0.2.1") {
  const openChallenge = challenge.parse(await (await send("GET", "/v1/trial", from(address))).json());
  return { challenge: openChallenge.challenge, answer: await solveChallenge(openChallenge) };
}

async function errorOf(answer: Response) {
  return { status: answer.status, ...errorBody.parse(await answer.json()).error };
}

describe("a trial", () => {
  test("J13: gives a small sandbox for an hour after a proof of work, in a tenant without keys", async () => {
    const harness = await begin();
    const answer = await harness.send("POST", "/v1/trial", { ...from("192.0.2.1"), body: await work(harness) });
    expect(answer.status).toBe(201);
    const sandbox = sandboxWithToken.parse(await answer.json());
    expect(Date.parse(sandbox.expiresAt) - Date.parse(sandbox.createdAt)).toBe(3_600_000);
    expect(harness.clusters.get(sandbox.id)?.initializeOptions?.settings).toMatchObject({
      reportsTo: { tenant: "_trial" },
      limits: { objects: 1000, tunnels: 0 },
    });
    expect((await harness.send("GET", `/v1/sandboxes/${sandbox.id}`)).status).toBe(404);
    const withTemplate = { ...(await work(harness)), template: "mine" };
    const foreign = await harness.send("POST", "/v1/trial", { ...from("192.0.2.1"), body: withTemplate });
    expect(await errorOf(foreign)).toMatchObject({ status: 404, field: "template" });
  });

  test("J13: accepts a proof once, and only from the address of its challenge", async () => {
    const harness = await begin();
    const body = await work(harness);
    const ask = (address: string) => harness.send("POST", "/v1/trial", { ...from(address), body });
    expect(await errorOf(await ask("192.0.2.2"))).toMatchObject({ status: 400, field: "challenge" });
    expect((await ask("192.0.2.1")).status).toBe(201);
    expect(await errorOf(await ask("192.0.2.1"))).toMatchObject({ status: 400, field: "challenge" });
  });

  test("J13: is bounded for each address within an hour, and an IPv6 network counts as one", async () => {
    const harness = await begin();
    const statuses: number[] = [];
    for (let at = 0; at <= limits.trialsOfAddress; at++) {
      const address = `2001:db8::${at + 1}`;
      const body = await work(harness, address);
      statuses.push((await harness.send("POST", "/v1/trial", { ...from(address), body })).status);
    }
    expect(statuses).toEqual([...Array<number>(limits.trialsOfAddress).fill(201), 429]);
    const otherWork = await work(harness, "2001:db8:1::1");
    expect((await harness.send("POST", "/v1/trial", { ...from("2001:db8:1::1"), body: otherWork })).status).toBe(201);
    harness.time.nowMs += 3_600_000;
    const later = await work(harness, "2001:db8::1");
    expect((await harness.send("POST", "/v1/trial", { ...from("2001:db8::9"), body: later })).status).toBe(201);
  });

  test.each([
    ["a missing proof", (solvedWork: Work) => ({ ...solvedWork, answer: "" }), "answer"],
    [
      "an invented challenge",
      (solvedWork: Work) => ({ ...solvedWork, challenge: `zzzzzz_a_${"a".repeat(26)}` }),
      "challenge",
    ],
    [
      "an altered challenge",
      (solvedWork: Work) => ({ ...solvedWork, challenge: `z${solvedWork.challenge}` }),
      "challenge",
    ],
  ])("J13: %s is refused", async (_, change, field) => {
    const harness = await begin(20);
    const body = change(await wrongAnswer(harness));
    const refused = await errorOf(await harness.send("POST", "/v1/trial", { ...from("192.0.2.1"), body }));
    expect(refused).toMatchObject({ status: 400, code: "invalid_field", field });
    expect(harness.clusters.size).toBe(0);
  });

  test("J13: refuses an expired challenge", async () => {
    const harness = await begin();
    const body = await work(harness);
    harness.time.nowMs += limits.trialChallengeMs;
    const refused = await harness.send("POST", "/v1/trial", { ...from("192.0.2.1"), body });
    expect(await errorOf(refused)).toMatchObject({ status: 400, field: "challenge" });
  });

  test("J13: is 404 if the service does not offer it", async () => {
    const harness = await newService();
    expect((await harness.send("GET", "/v1/trial", { key: "" })).status).toBe(404);
    const refused = await harness.send("POST", "/v1/trial", { key: "", body: { challenge: "a", answer: "b" } });
    expect(refused.status).toBe(404);
  });
});

interface Work {
  readonly challenge: string;
  readonly answer: string;
}

/** Returns the challenge with a wrong answer. */
async function wrongAnswer({ send }: Harness): Promise<Work> {
  const openChallenge = challenge.parse(await (await send("GET", "/v1/trial", from("192.0.2.1"))).json());
  return { challenge: openChallenge.challenge, answer: "none" };
}
