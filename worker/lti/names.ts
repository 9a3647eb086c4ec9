// The names of LTI 1.3: claims of launches, messages, and scopes of a platform's services.

const spec = "https://purl.imsglobal.org/spec";

export const claims = {
  messageType: `${spec}/lti/claim/message_type`,
  version: `${spec}/lti/claim/version`,
  deploymentId: `${spec}/lti/claim/deployment_id`,
  targetLinkUri: `${spec}/lti/claim/target_link_uri`,
  resourceLink: `${spec}/lti/claim/resource_link`,
  roles: `${spec}/lti/claim/roles`,
  context: `${spec}/lti/claim/context`,
  custom: `${spec}/lti/claim/custom`,
  toolPlatform: `${spec}/lti/claim/tool_platform`,
  launchPresentation: `${spec}/lti/claim/launch_presentation`,
  grades: `${spec}/lti-ags/claim/endpoint`,
  members: `${spec}/lti-nrps/claim/namesroleservice`,
  deepLinkingSettings: `${spec}/lti-dl/claim/deep_linking_settings`,
  contentItems: `${spec}/lti-dl/claim/content_items`,
  data: `${spec}/lti-dl/claim/data`,
  message: `${spec}/lti-dl/claim/msg`,
} as const;

export const messages = {
  resourceLink: "LtiResourceLinkRequest",
  deepLinking: "LtiDeepLinkingRequest",
  deepLinkingResponse: "LtiDeepLinkingResponse",
} as const;

export const scopes = {
  lineItem: `${spec}/lti-ags/scope/lineitem`,
  score: `${spec}/lti-ags/scope/score`,
  members: `${spec}/lti-nrps/scope/contextmembership.readonly`,
} as const;

export const version = "1.3.0";

/** The names in the configurations that platforms and tools exchange. */
export const toolConfiguration = `${spec}/lti-tool-configuration`;
export const platformConfiguration = `${spec}/lti-platform-configuration`;

/** The name of Canvas' extension of scores. */
export const canvasSubmission = "https://canvas.instructure.com/lti/submission";
