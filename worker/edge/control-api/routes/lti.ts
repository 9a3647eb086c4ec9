// Routes of the LTI platforms that launch a tenant's lessons.
import {
  ltiPlatform,
  ltiPlatformList,
  ltiRegistration,
  ltiTool,
  newLtiPlatform,
  patchLtiPlatform,
} from "../../../../shared/contract/hosted/lti.ts";
import { deliveryList } from "../../../../shared/contract/hosted/webhook.ts";
import { nothingMore } from "../../../../shared/contract/lesson.ts";
import { toolUrls } from "../../lti/addresses.ts";
import {
  changePlatform,
  deletePlatform,
  getPlatform,
  listPlatforms,
  listScores,
  makePlatform,
} from "../../lti/platforms.ts";
import { newRegistration } from "../../lti/registration.ts";
import { audited } from "../access/audit.ts";
import { json, nothing } from "../answers.ts";
import { route } from "../route.ts";

export const ltiRoutes = [
  route({
    method: "GET",
    path: "/v1/lti/tool",
    id: "getLtiTool",
    summary: "What the administrator of a learning management system enters there: the tool's addresses.",
    access: { kind: "scope", scope: "lti:read" },
    answer: { status: 200, json: ltiTool },
    handle: async ({ controlApi, tenantId }) => json(toolUrls(controlApi, tenantId)),
  }),
  route({
    method: "POST",
    path: "/v1/lti/registrations",
    id: "createLtiRegistration",
    summary: "A link for one day, by which a learning management system registers itself (dynamic registration).",
    access: { kind: "scope", scope: "lti:write" },
    body: nothingMore,
    answer: { status: 201, json: ltiRegistration },
    handle: async ({ controlApi, tenantId }) =>
      json(await audited(controlApi, "", () => newRegistration(controlApi, tenantId)), 201),
  }),
  route({
    method: "POST",
    path: "/v1/lti/platforms",
    id: "createLtiPlatform",
    summary: "Registers a learning management system by hand.",
    access: { kind: "scope", scope: "lti:write" },
    body: newLtiPlatform,
    answer: { status: 201, json: ltiPlatform },
    errors: ["too_many_platforms", "platform_known"],
    handle: async ({ controlApi, tenantId, body }) => json(await makePlatform(controlApi, tenantId, body), 201),
  }),
  route({
    method: "GET",
    path: "/v1/lti/platforms",
    id: "listLtiPlatforms",
    list: { items: "platforms", id: ["id"], sort: ["createdAt", "name"], filter: ["name", "issuer"] },
    summary: "All learning management systems that are registered, the oldest first.",
    access: { kind: "scope", scope: "lti:read" },
    answer: { status: 200, json: ltiPlatformList },
    handle: async ({ controlApi, tenantId }) => json({ platforms: await listPlatforms(controlApi, tenantId) }),
  }),
  route({
    method: "GET",
    path: "/v1/lti/platforms/{platform}",
    id: "getLtiPlatform",
    version: { apart: [] },
    summary: "One of them.",
    access: { kind: "scope", scope: "lti:read" },
    answer: { status: 200, json: ltiPlatform },
    handle: async ({ controlApi, tenantId, path: { platform = "" } }) =>
      json(await getPlatform(controlApi, tenantId, platform)),
  }),
  route({
    method: "PATCH",
    path: "/v1/lti/platforms/{platform}",
    id: "changeLtiPlatform",
    summary: "Gives it another name, or other deployments that may launch.",
    access: { kind: "scope", scope: "lti:write" },
    body: patchLtiPlatform,
    answer: { status: 200, json: ltiPlatform },
    handle: async ({ controlApi, tenantId, body, path: { platform = "" } }) =>
      json(await changePlatform(controlApi, tenantId, platform, body)),
  }),
  route({
    method: "DELETE",
    path: "/v1/lti/platforms/{platform}",
    id: "deleteLtiPlatform",
    summary: "Nothing is launched from it any more, and no score sent; runs live to their end.",
    access: { kind: "scope", scope: "lti:write" },
    answer: { status: 204 },
    handle: async ({ controlApi, tenantId, path: { platform = "" } }) => {
      await deletePlatform(controlApi, tenantId, platform);
      return nothing();
    },
  }),
  route({
    method: "GET",
    path: "/v1/lti/platforms/{platform}/scores",
    id: "listLtiScores",
    list: { items: "deliveries", id: ["id"], sort: ["createdAt", "type"], filter: ["type", "state"] },
    summary: "What was sent of learners' scores lately, and what came of it: the newest first.",
    access: { kind: "scope", scope: "lti:read" },
    answer: { status: 200, json: deliveryList },
    handle: async ({ controlApi, tenantId, path: { platform = "" } }) =>
      json(await listScores(controlApi, tenantId, platform)),
  }),
];
