// The scopes of callers, one of which each route requires, and the roles that have them. Contains no schema, because the console loads this
// first and validates nothing.

/** The roles of an organization's members, the least first. Each includes the previous ones. */
export const roles = ["viewer", "member", "owner"] as const;

export type Role = (typeof roles)[number];

/** Every scope with the least role that has it, and its description. */
export const scopeTable = {
  "sandboxes:read": { role: "viewer", means: "See sandboxes, without their credentials and Secrets." },
  "sandboxes:create": { role: "member", means: "Make sandboxes." },
  "sandboxes:connect": {
    role: "member",
    means:
      "Have the administrator's credentials of a sandbox, make tokens of its users, and write out all that it holds.",
  },
  "sandboxes:write": { role: "member", means: "Change sandboxes, and set them back." },
  "sandboxes:delete": { role: "member", means: "Delete sandboxes." },
  "snapshots:read": { role: "viewer", means: "See snapshots; with other scopes, use what is in them." },
  "snapshots:write": { role: "member", means: "Make snapshots." },
  "snapshots:delete": { role: "member", means: "Delete snapshots." },
  "templates:read": { role: "member", means: "See templates with all their parts, and make sandboxes of them." },
  "templates:write": { role: "member", means: "Make templates, and delete them." },
  "webhooks:read": { role: "member", means: "See webhooks without their secrets, and what was sent to them." },
  "webhooks:write": { role: "owner", means: "Make, change, try and delete webhooks, and see their secrets." },
  "usage:read": { role: "viewer", means: "See what sandboxes used." },
  "lessons:read": { role: "viewer", means: "See lessons with their solutions, and what learners have scored." },
  "lessons:write": { role: "member", means: "Publish and delete lessons, and run them for learners." },
  "lti:read": {
    role: "member",
    means: "See the platforms from which lessons are launched, and what scores were sent to them.",
  },
  "lti:write": { role: "owner", means: "Register, change and delete such platforms." },
  "keys:read": { role: "member", means: "See which API keys there are." },
  "keys:write": { role: "member", means: "Make API keys that may do no more than oneself, and revoke such." },
  "members:read": { role: "viewer", means: "See who belongs to the organisation." },
  "members:write": { role: "owner", means: "Invite and remove members, and change their roles." },
  "tenant:read": { role: "viewer", means: "See the organisation's name and settings." },
  "tenant:write": { role: "owner", means: "Change the organisation's name and settings." },
  "tenant:export": { role: "owner", means: "Have everything that the organisation stores, also what is in sandboxes." },
  "tenant:delete": { role: "owner", means: "Delete the organisation with all that belongs to it." },
  "audit:read": { role: "owner", means: "See who did what." },
} as const satisfies Readonly<Record<string, { readonly role: Role; readonly means: string }>>;

export type Scope = keyof typeof scopeTable;

// The keys of the table define the type.
export const allScopes = Object.keys(scopeTable) as Scope[];

export function scopesOfRole(of: Role): Scope[] {
  return allScopes.filter((scope) => roles.indexOf(scopeTable[scope].role) <= roles.indexOf(of));
}

export function isScope(text: string): text is Scope {
  return Object.hasOwn(scopeTable, text);
}
