// The files of nginx's images that users read or replace, shortened to their essential content.

/** Returns the image's pages, and a configuration that serves them. */
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

/** Has the length of the real image's page, because every line of an access log contains the size. */
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
