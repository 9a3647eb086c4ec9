// The files of well-known images that people read or replace, as short as they can be and still say what they are known for.

/** The image's pages, and a configuration that serves them. */
export function nginxFiles(port: number): Readonly<Record<string, string>> {
  return {
    "/usr/share/nginx/html/index.html": welcome,
    "/usr/share/nginx/html/50x.html":
      "<!DOCTYPE html>\n<html>\n<head>\n<title>Error</title>\n</head>\n<body>\n<h1>An error occurred.</h1>\n<p>Sorry, the page you are looking for is currently unavailable.<br/>\nPlease try again later.</p>\n</body>\n</html>\n",
    "/etc/nginx/nginx.conf": `user  nginx;
worker_processes  auto;

error_log  /var/log/nginx/error.log notice;
pid        /run/nginx.pid;


events {
    worker_connections  1024;
}

http {
    include       /etc/nginx/mime.types;
    default_type  application/octet-stream;

    log_format  main  '$remote_addr - $remote_user [$time_local] "$request" '
                      '$status $body_bytes_sent "$http_referer" '
                      '"$http_user_agent" "$http_x_forwarded_for"';

    access_log  /var/log/nginx/access.log  main;

    sendfile        on;
    #tcp_nopush     on;

    keepalive_timeout  65;

    #gzip  on;

    include /etc/nginx/conf.d/*.conf;
}
`,
    "/etc/nginx/conf.d/default.conf": `server {
    listen       ${port};
    server_name  localhost;

    location / {
        root   /usr/share/nginx/html;
        index  index.html index.htm;
    }

    #error_page  404              /404.html;

    # redirect server error pages to the static page /50x.html
    #
    error_page   500 502 503 504  /50x.html;
    location = /50x.html {
        root   /usr/share/nginx/html;
    }
}
`,
  };
}

/** As long as the page of the real image, whose size every line of an access log tells. */
const welcome = `<!DOCTYPE html>
<html>
<head>
<title>Welcome to nginx!</title>
<style>
html { color-scheme: light dark; }
body { width: 35em; margin: 0 auto; font-family: sans-serif; }
</style>
</head>
<body>
<h1>Welcome to nginx!</h1>
<p>This page is what the image of nginx serves until it is given another one: mount
your own files at /usr/share/nginx/html, or write them there.</p>

<p>The server's configuration is read from /etc/nginx/conf.d when it starts.
Whoever sees this has reached a container in which nginx runs and answers with what its files tell it.</p>

<p><em>Thank you for using nginx.</em></p>
</body>
</html>
`;

/** A certificate for localhost, of which nobody reads more than that it is there. */
export const agnhostFiles: Readonly<Record<string, string>> = {
  "/localhost.crt": "-----BEGIN CERTIFICATE-----\nc2FuZGJhcg==\n-----END CERTIFICATE-----\n",
  "/localhost.key": "-----BEGIN PRIVATE KEY-----\nc2FuZGJhcg==\n-----END PRIVATE KEY-----\n",
};

export const httpdFiles: Readonly<Record<string, string>> = {
  "/usr/local/apache2/htdocs/index.html": "<html><body><h1>It works!</h1></body></html>\n",
  "/usr/local/apache2/conf/httpd.conf":
    'ServerRoot "/usr/local/apache2"\nListen 80\nDocumentRoot "/usr/local/apache2/htdocs"\n',
};

const release = (id: string, name: string, version: string, more = "") =>
  `PRETTY_NAME="${name} ${version}"\nNAME="${name}"\nVERSION="${version}"\nVERSION_ID="${version.split(" ")[0] ?? ""}"\nID=${id}\n${more}`;

const debian = release("debian", "Debian GNU/Linux", "13 (trixie)", "VERSION_CODENAME=trixie\n");
const alpine = release("alpine", "Alpine Linux", "3.23.0");
const ubuntu = release("ubuntu", "Ubuntu", "24.04", "ID_LIKE=debian\n");
const fedora = release("fedora", "Fedora Linux", "43");

const onAlpine = new Set(["alpine", "curl", "netshoot", "agnhost", "kitten", "nautilus"]);

/** `/etc/os-release`, where the image has one; `/etc/passwd` and `/etc/group` of the users that it is known to have. */
export function systemFiles(base: string, tag: string, worker?: string): Readonly<Record<string, string>> {
  const isAlpine = onAlpine.has(base) || /(^|-)alpine/.test(tag);
  const text =
    base === "busybox"
      ? undefined
      : base === "ubuntu"
        ? ubuntu
        : base === "fedora"
          ? fedora
          : isAlpine
            ? alpine
            : debian;
  const shell = isAlpine || base === "busybox" ? "/bin/sh" : "/bin/bash";
  const more = worker === undefined ? "" : `${worker}:x:101:101:${worker} user:/nonexistent:/bin/false\n`;
  return {
    ...(text === undefined ? {} : { "/etc/os-release": text }),
    "/etc/passwd": `root:x:0:0:root:/root:${shell}\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n${more}`,
    "/etc/group": `root:x:0:\ndaemon:x:1:\nnogroup:x:65534:\n${worker === undefined ? "" : `${worker}:x:101:\n`}`,
  };
}
