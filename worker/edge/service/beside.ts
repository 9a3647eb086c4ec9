// Serves what is beside the sandboxes: the control API and the pages. It is loaded with the first request for it, since an isolate that
// serves only sandboxes needs none of its schemas and queries.
import { waitUntil } from "cloudflare:workers";
import { hasFreeSpace } from "../../../shared/base/disk/disk-space.ts";
import { secretOf } from "../../../shared/base/secret.ts";
import { trimmedEnd } from "../../../shared/base/trim.ts";
import type { Env } from "../../env.ts";
import { controlApiApp } from "../control-api/control-api.ts";
import type { ControlApiServer } from "../control-api/server.ts";
import { embedPage } from "../embed-page.ts";
import { lti } from "../lti/handler.ts";
import { isLti } from "../lti/paths.ts";
import { page } from "../pages.ts";
import { backing } from "./backing.ts";
import { builtFile } from "./built-files.ts";

/** Serves the control API or a page. */
export async function beside(request: Request, url: URL, isControl: boolean, env: Env): Promise<Response> {
  if (isLti(url)) return finished(lti(request, url, service(env, url)));
  if (isControl) return controlled(request, service(env, url));
  const fileOf = (path: string, of: Request) => builtFile(env.ASSETS, path, of);
  const specialPage = url.pathname.startsWith("/embed/")
    ? await embedPage(request, url, { controlApi: service(env, url), file: fileOf })
    : await page(request, url, { secret: secretOf(env), file: fileOf });
  return specialPage ?? controlled(request, service(env, url));
}

/** Runs a control API request to its end, even if the client disconnects. */
async function controlled(request: Request, of: ControlApiServer): Promise<Response> {
  return finished(Promise.resolve(controlApiApp.fetch(request, { controlApi: of })));
}

async function finished(answered: Promise<Response>): Promise<Response> {
  waitUntil(answered);
  return answered;
}

/** Returns the public URL of the service. */
function serverOf(env: Env, { origin }: URL): string {
  return trimmedEnd(env.SANDBAR_SERVER ?? "", "/") || origin;
}

/** Only the Node.js process beside a Worker on a user's machine can report free space. */
function freeSpaceOf({ OUTSIDE: node }: Env): Pick<ControlApiServer, "hasFreeSpace"> {
  return node ? { hasFreeSpace: () => hasFreeSpace(node) } : {};
}

function service(env: Env, url: URL): ControlApiServer {
  return {
    ...backing(env),
    server: serverOf(env, url),
    console: url.origin,
    ...freeSpaceOf(env),
  };
}
