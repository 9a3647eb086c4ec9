// Apache's httpd, which serves the files of its folder.
import { statusText } from "../../../shared/base/status-text.ts";
import { image, tagOf } from "../images/known-image.ts";
import { isFolder } from "../shell/files.ts";
import { folderProgram, typeOf } from "../shell/programs/folder-server.ts";
import type { ProgramCall } from "../shell/program.ts";
import type { Page, Visit } from "../shell/server.ts";
import { accessLine } from "../shell/log-lines.ts";
import { barePath, serving, withLine } from "./common/serving.ts";
import type { Product } from "./module.ts";

const root = "/usr/local/apache2/htdocs";

const files: Readonly<Record<string, string>> = {
  "/usr/local/apache2/htdocs/index.html": "<html><body><h1>It works!</h1></body></html>\n",
  "/usr/local/apache2/conf/httpd.conf":
    'ServerRoot "/usr/local/apache2"\nListen 80\nDocumentRoot "/usr/local/apache2/htdocs"\n',
};

function answer(visit: Visit): Page {
  const page = pageOf(visit);
  const version = /^v?(\d+\.\d+(?:\.\d+)?)/.exec(tagOf(visit.image))?.[1] ?? "2.4.65";
  const line = accessLine(visit, page.status ?? 200, page.body);
  return { ...withLine(page, visit.nowMs, line), product: `Apache/${version} (Unix)` };
}

function pageOf(visit: Visit): Page {
  const { method, files } = visit;
  if (!["GET", "HEAD", "POST"].includes(method)) return failure(405);
  const path = barePath(visit);
  const file = root + (path.endsWith("/") ? `${path}index.html` : path);
  const text = files.get(file)?.text;
  if (text !== undefined) return { contentType: typeOf(file), body: text };
  return failure(path.endsWith("/") && isFolder(files, root + path.slice(0, -1)) ? 403 : 404);
}

function failure(status: number): Page {
  const reason = `${status} ${statusText(status)}`.trim();
  const bare = reason.replace(/^\d+ /, "");
  return {
    status,
    contentType: "text/html; charset=iso-8859-1",
    body: `<!DOCTYPE HTML>\n<html><head>\n<title>${reason}</title>\n</head><body>\n<h1>${bare}</h1>\n</body></html>\n`,
  };
}

/** Returns the ports that a file of Apache's configuration names with `Listen`. */
export function listenPorts({ process }: ProgramCall, path: string): readonly number[] {
  const text = process.files.get(path)?.text ?? "";
  const ports = [...text.matchAll(/^[ \t]*Listen[ \t]+(?:[^\s]*:)?(\d{1,5})\b/gim)].map(([, port]) => Number(port));
  return ports.length > 0 ? ports : [80];
}

/** The file with the ports in Debian's package of Apache. */
export const debianPorts = "/etc/apache2/ports.conf";

const foreground = serving((call) => ({
  ports: listenPorts(call, "/usr/local/apache2/conf/httpd.conf"),
  server: { answer },
}));

export const httpd: Product = {
  names: ["httpd-foreground", "apache2"],
  images: {
    httpd: image(45_312_074, "httpd-foreground", {
      programs: "debian",
      family: "debian",
      installed: { base: "debian", added: "httpd httpd-foreground apachectl ab htpasswd rotatelogs" },
      files,
      versions: { newest: "2.4.65", fullByPrefix: { "2": "2.4.65", "2.4": "2.4.65" } },
      environment: (version) => ({ HTTPD_PREFIX: "/usr/local/apache2", HTTPD_VERSION: version }),
    }),
    // The example of autoscaling: PHP's image with a page that computes something.
    "hpa-example": image(180_100_000, "apache2-foreground", {
      programs: "debian",
      installed: { base: "debian", added: "apache2-foreground apache2ctl php curl docker-php-entrypoint" },
    }),
  },
  configurations: `
httpd - 80 /usr/local/apache2 | httpd-foreground
nextcloud - 80 /var/www/html /entrypoint.sh | apache2-foreground
phpmyadmin - 80 /var/www/html /docker-entrypoint.sh | apache2-foreground`,
  official: "httpd - 2.4",
  programs: {
    "httpd-foreground": foreground,
    "apache2-foreground": serving((call) => ({
      ports: listenPorts(call, debianPorts),
      server: {
        answer: ({ image: name, path }) => ({
          contentType: "text/plain; charset=utf-8",
          body: /(^|\/)hpa-example([:@]|$)/.test(name) ? "OK!" : `${name} answers ${path}\n`,
        }),
      },
    })),
    httpd: (call) => (call.process.programs?.has("httpd-foreground") ? foreground(call) : folderProgram(call)),
  },
  folders: { "/usr/local/bin": "httpd httpd-foreground" },
};
