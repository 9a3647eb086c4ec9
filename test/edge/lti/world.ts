// A tenant with a lesson and a platform for each test, and a browser between them.
import type { JWK } from "jose";
import { expect, onTestFinished, vi } from "vitest";
import { lti } from "../../../worker/edge/lti/handler.ts";
import { scoreSender } from "../../../worker/tenant/send-score.ts";
import { newService, secret } from "../service.ts";
import { type Family, newPlatform, type Payload, type SignOptions } from "./platform.ts";

const check = (name: string, points: number) => ({ name, points, hint: `do ${name}`, expression: `"${name}" != ""` });
export const lesson = {
  name: "first",
  title: "First <lesson>",
  manifests: "a: 1",
  timeLimitMinutes: 30,
  steps: [
    { title: "One", text: "# One", checks: [check("a", 2), check("b", 3)], solution: [{ apply: "x: 1" }] },
    { title: "Two", text: "# Two", checks: [check("c", 5)] },
  ],
};

export interface LaunchOptions extends SignOptions {
  /** Additional or replaced claims. */
  readonly claims?: Payload;
  /** Parameters of the login beside the usual ones. */
  readonly login?: Readonly<Record<string, string>>;
  /** Selects the cookies of the login that the browser sends. The default is all. */
  readonly cookie?: string;
  /** The platform's storage keeps the proof, in place of a cookie. */
  readonly byStorage?: boolean;
  /** In place of the token. */
  readonly idToken?: string;
}

export async function newWorld(family: Family = "moodle") {
  const bed = await newService();
  const platform = await newPlatform(family, () => bed.time.nowMs);
  const otherHosts = new Map<string, (request: Request) => Promise<Response> | Response>();
  vi.stubGlobal("fetch", async (input: string, init?: RequestInit) => {
    const { hostname } = new URL(input);
    if (hostname === platform.host) return platform.fetch(input, init);
    const otherHost = otherHosts.get(hostname);
    if (otherHost) return otherHost(new Request(input, init));
    throw new Error(`${hostname} was asked`);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const ask = async (path: string, init: RequestInit = {}) => {
    const url = new URL(path, "http://localhost:8787");
    return lti(new Request(url, init), url, bed.service);
  };
  /** As a browser sends a form from a page of the service's own, or of another site. */
  const post = (
    path: string,
    form: Readonly<Record<string, string>>,
    cookie = "",
    from: "same-origin" | "cross-site" = "same-origin",
  ) => {
    const origin = from === "same-origin" ? "http://localhost:8787" : `https://${platform.host}`;
    const headers = { origin, "sec-fetch-site": from, ...(cookie ? { cookie } : {}) };
    return ask(path, { method: "POST", body: new URLSearchParams(form), headers });
  };
  platform.toolKeys = async () => (await ask("/lti/ada/jwks.json")).json<{ keys: JWK[] }>();
  expect((await bed.send("POST", "/v1/lessons", { body: lesson })).status).toBe(201);
  const response = await bed.send("POST", "/v1/lti/platforms", { body: platform.registration });
  expect(response.status).toBe(201);
  const { id: platformId } = await response.json<{ id: string }>();

  const login = async (more: Readonly<Record<string, string>> = {}) => {
    const { issuer: iss, clientId: client_id } = platform.registration;
    const target_link_uri = "http://localhost:8787/lti/ada/launch";
    const answer = await post(
      "/lti/ada/login",
      { iss, client_id, login_hint: "17", target_link_uri, ...more },
      "",
      "cross-site",
    );
    return { answer, data: answer.status === 200 ? dataOf(await answer.clone().text()) : undefined };
  };
  const launch = async (options: LaunchOptions = {}) => {
    const { data } = await login(options.login);
    if (!data) throw new Error("the login was refused");
    const to = new URL((options.byStorage ? data.byStorage : data.byCookie) ?? "");
    const idToken = options.idToken ?? (await platform.idToken(to, options.claims, options));
    const state = to.searchParams.get("state") ?? "";
    const cookie = options.byStorage ? "" : (options.cookie ?? data.has);
    return {
      answer: await post("/lti/ada/launch", { id_token: idToken, state }, cookie, "cross-site"),
      data,
      idToken,
      state,
    };
  };
  /** A learner's launch that ends at the learner's page; gives its run. */
  const learn = async (options: LaunchOptions = {}) => {
    const { answer } = await launch(options);
    expect(answer.status, await answer.clone().text()).toBe(303);
    const newest = bed.database.prepare("SELECT run, points FROM lti_learners WHERE user_id = ?");
    const { run } = newest.get(
      options.user ?? (family === "canvas" ? "535fa085-f22b-4655-8f48-5a36a9215f64" : "17"),
    ) as { run: string };
    return { run, location: answer.headers.get("location") ?? "" };
  };
  const checkRun = async (run: string, passed: readonly boolean[]) => {
    for (const cluster of bed.clusters.values()) {
      cluster.verdict = ({ expressions }) => ({
        ok: true,
        results: expressions.map((_, at) => ({ passed: passed[at] ?? false, message: "" })),
        revision: 50,
      });
    }
    expect((await bed.send("POST", `/v1/lessons/first/runs/${run}/check`, { body: {} })).status).toBe(200);
    await bed.settled();
  };
  const sender = scoreSender();
  /** Sends the due messages, like the alarm of the tenant's object. */
  const sendDue = async () => {
    const { webhooks } = bed.tenants.inside("ada");
    for (const sending of webhooks.due(bed.time.nowMs)) {
      webhooks.recordAttempt(sending, await sender(sending, { secret, nowMs: () => bed.time.nowMs }), bed.time.nowMs);
    }
  };
  const scores = () =>
    platform.requests
      .filter(({ url }) => new URL(url).pathname.endsWith("/scores"))
      .map(({ url, headers, body }) => ({ url, headers, score: JSON.parse(body) as Record<string, unknown> }));
  return {
    ...bed,
    platform,
    platformId,
    others: otherHosts,
    ask,
    post,
    login,
    launch,
    learn,
    checkRun,
    sendDue,
    scores,
  };
}

export type World = Awaited<ReturnType<typeof newWorld>>;

export interface LoginData {
  readonly cookie: string;
  readonly has: string;
  readonly byCookie: string;
  readonly byStorage?: string;
  readonly storage: string;
  readonly origin: string;
  readonly key: string;
  readonly value: string;
}

/** Returns the data that the page's script reads. */
export function dataOf(html: string): LoginData | undefined {
  const text = /<script[^>]*>const data=(\{.*?\});/s.exec(html)?.[1];
  return text === undefined ? undefined : (JSON.parse(text) as LoginData);
}

/** The value of a hidden field. */
export function fieldOf(html: string, name: string): string {
  const inputTag = html.split("<input").find((piece) => piece.includes(`name="${name}"`));
  return (/value="([^"]*)"/.exec(inputTag ?? "")?.[1] ?? "").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}
