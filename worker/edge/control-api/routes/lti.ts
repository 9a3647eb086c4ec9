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
import { emptyBody } from "../../../../shared/contract/lesson.ts";
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
    summary: "Returns the addresses of this tool that an administrator enters in a learning platform.",
    access: { kind: "scope", scope: "lti:read" },
    answer: { status: 200, json: ltiTool },
    handle: async ({ controlApi, tenantId }) => json(toolUrls(controlApi, tenantId)),
  }),
  route({
    method: "POST",
    path: "/v1/lti/registrations",
    id: "createLtiRegistration",
    summary: "Creates a link, valid for a day, by which a learning platform registers itself (dynamic registration).",
    access: { kind: "scope", scope: "lti:write" },
    body: emptyBody,
    answer: { status: 201, json: ltiRegistration },
    handle: async ({ controlApi, tenantId }) =>
      json(await audited(controlApi, "", () => newRegistration(controlApi, tenantId)), 201),
  }),
  route({
    method: "POST",
    path: "/v1/lti/platforms",
    id: "createLtiPlatform",
    summary: "Registers a learning platform by hand.",
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
    summary: "Lists the registered learning platforms, the oldest first.",
    access: { kind: "scope", scope: "lti:read" },
    answer: { status: 200, json: ltiPlatformList },
    handle: async ({ controlApi, tenantId }) => json({ platforms: await listPlatforms(controlApi, tenantId) }),
  }),
  route({
    method: "GET",
    path: "/v1/lti/platforms/{platform}",
    id: "getLtiPlatform",
    summary: "Returns a learning platform.",
    access: { kind: "scope", scope: "lti:read" },
    answer: { status: 200, json: ltiPlatform },
    handle: async ({ controlApi, tenantId, path: { platform = "" } }) =>
      json(await getPlatform(controlApi, tenantId, platform)),
  }),
  route({
    method: "PATCH",
    path: "/v1/lti/platforms/{platform}",
    id: "changeLtiPlatform",
    summary: "Changes a learning platform's name, or the deployments that may launch.",
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
    summary:
      "Removes a learning platform: it can launch nothing more and receives no scores. Its runs continue until they expire.",
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
    summary: "Lists the latest deliveries of learners' scores and their results, the newest first.",
    access: { kind: "scope", scope: "lti:read" },
    answer: { status: 200, json: deliveryList },
    handle: async ({ controlApi, tenantId, path: { platform = "" } }) =>
      json(await listScores(controlApi, tenantId, platform)),
  }),
];
