// Python's HTTP servers. The container hands their visitors in.

export const httpServer = String.raw`
import sys, time, os, io, _host, socketserver
from socketserver import TCPServer
__version__ = "0.6"
_reasons = {200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 301: "Moved Permanently", 302: "Found", 304: "Not Modified",
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 409: "Conflict",
    429: "Too Many Requests", 500: "Internal Server Error", 501: "Not Implemented", 503: "Service Unavailable"}
_types = {"html": "text/html", "htm": "text/html", "txt": "text/plain", "css": "text/css", "js": "text/javascript", "json": "application/json",
    "png": "image/png", "svg": "image/svg+xml", "py": "text/x-python", "md": "text/markdown", "xml": "text/xml"}

class Headers:
    def __init__(self, pairs):
        self._pairs = pairs
    def get(self, name, default=None):
        for key, value in self._pairs:
            if key.lower() == name.lower():
                return value
        return default
    def __getitem__(self, name):
        return self.get(name)
    def __contains__(self, name):
        return self.get(name) is not None
    def items(self):
        return [(key, value) for key, value in self._pairs]
    def keys(self):
        return [key for key, value in self._pairs]
    def __iter__(self):
        return iter(self.keys())
    def __str__(self):
        return "".join(["%s: %s\n" % (key, value) for key, value in self._pairs]) + "\n"

class Writer:
    def __init__(self):
        self.parts = []
    def write(self, data):
        if isinstance(data, str):
            raise TypeError("a bytes-like object is required, not 'str'")
        self.parts.append(bytes(data))
        return len(data)
    def flush(self):
        pass

class BaseHTTPRequestHandler:
    server_version = "BaseHTTP/0.6"
    sys_version = "Python/3.13.9"
    protocol_version = "HTTP/1.0"
    request_version = "HTTP/1.1"
    def __init__(self, request, client_address, server):
        self.request, self.client_address, self.server = request, client_address, server
        self.command, self.path, self.headers = request["method"], request["path"], Headers(request["headers"])
        self.requestline = "%s %s HTTP/1.1" % (self.command, self.path)
        self.rfile = io.BytesIO(request["body"].encode())
        self.wfile = Writer()
        self._status, self._headers, self._ended = 0, [], False
        self.close_connection = True
        self.setup()
        try:
            self.handle()
        finally:
            self.finish()
    def setup(self):
        pass
    def finish(self):
        pass
    def handle(self):
        method = getattr(self, "do_" + self.command, None)
        if method is None:
            self.send_error(501, "Unsupported method (%r)" % self.command)
        else:
            method()
    def version_string(self):
        return self.server_version + " " + self.sys_version
    def send_response(self, code, message=None):
        self.log_request(code)
        self.send_response_only(code, message)
        self.send_header("Server", self.version_string())
        self.send_header("Date", self.date_time_string())
    def send_response_only(self, code, message=None):
        self._status = int(code)
    def send_header(self, name, value):
        self._headers.append([name, str(value)])
    def end_headers(self):
        self._ended = True
    def send_error(self, code, message=None, explain=None):
        code = int(code)
        message = message or _reasons.get(code, "???")
        self.log_error("code %d, message %s", code, message)
        self.send_response(code, message)
        self.send_header("Connection", "close")
        body = ("<!DOCTYPE HTML>\n<html lang=\"en\">\n    <head>\n        <meta charset=\"utf-8\">\n        <style type=\"text/css\">\n"
            "            :root {\n                color-scheme: light dark;\n            }\n        </style>\n"
            "        <title>Error response</title>\n    </head>\n    <body>\n        <h1>Error response</h1>\n        <p>Error code: %d</p>\n"
            "        <p>Message: %s.</p>\n        <p>Error code explanation: %d - %s.</p>\n    </body>\n</html>\n") % (code, message, code, explain or message)
        self.send_header("Content-Type", "text/html;charset=utf-8")
        self.send_header("Content-Length", len(body))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body.encode())
    def log_request(self, code="-", size="-"):
        self.log_message('"%s" %s %s', self.requestline, str(int(code)), str(size))
    def log_error(self, form, *args):
        self.log_message(form, *args)
    def log_message(self, form, *args):
        sys.stderr.write("%s - - [%s] %s\n" % (self.address_string(), self.log_date_time_string(), form % args))
    def address_string(self):
        return self.client_address[0]
    def log_date_time_string(self):
        return time.log_time(self.request["atMs"])
    def date_time_string(self, timestamp=None):
        return time.http_time(self.request["atMs"] if timestamp is None else int(timestamp * 1000))

class SimpleHTTPRequestHandler(BaseHTTPRequestHandler):
    server_version = "SimpleHTTP/0.6"
    def __init__(self, request, client_address, server, directory=None):
        self.directory = os.getcwd() if directory is None else str(directory)
        super().__init__(request, client_address, server)
    def do_GET(self):
        body = self.send_head()
        if body is not None:
            self.wfile.write(body)
    def do_HEAD(self):
        self.send_head()
    def translate_path(self, path):
        from urllib.parse import unquote
        bare = unquote(path.split("?", 1)[0].split("#", 1)[0])
        return os.path.normpath(self.directory + "/" + bare.strip("/"))
    def guess_type(self, path):
        return _types.get(path.rsplit(".", 1)[-1], "application/octet-stream")
    def send_head(self):
        path = self.translate_path(self.path)
        if os.path.isdir(path):
            if not self.path.split("?")[0].endswith("/"):
                self.send_response(301)
                self.send_header("Location", self.path + "/")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return None
            index = [item for item in ("index.html", "index.htm") if os.path.isfile(path + "/" + item)]
            if not index:
                return self.list_directory(path)
            path += "/" + index[0]
        try:
            with open(path, "rb") as f:
                data = f.read()
        except OSError:
            self.send_error(404, "File not found")
            return None
        self.send_response(200)
        self.send_header("Content-type", self.guess_type(path))
        self.send_header("Content-Length", len(data))
        self.end_headers()
        return data
    def list_directory(self, path):
        title = "Directory listing for " + self.path
        names = [item + "/" if os.path.isdir(path + "/" + item) else item for item in sorted(os.listdir(path))]
        items = "".join(['<li><a href="%s">%s</a></li>\n' % (item, item) for item in names])
        text = ('<!DOCTYPE HTML>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<style type="text/css">\n:root {\ncolor-scheme: light dark;\n}\n'
            '</style>\n<title>%s</title>\n</head>\n<body>\n<h1>%s</h1>\n<hr>\n<ul>\n%s</ul>\n<hr>\n</body>\n</html>\n') % (title, title, items)
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-type", "text/html; charset=utf-8")
        self.send_header("Content-Length", len(data))
        self.end_headers()
        return data

class HTTPServer(TCPServer):
    allow_reuse_address = 1
class ThreadingHTTPServer(HTTPServer):
    daemon_threads = True

def main():
    import argparse
    parser = argparse.ArgumentParser()
    parser.add_argument("--bind", "-b", default=None)
    parser.add_argument("--directory", "-d", default=os.getcwd())
    parser.add_argument("port", default=8000, type=int, nargs="?")
    args = parser.parse_args()
    where = args.bind or "0.0.0.0"
    if not args.bind:
        SimpleHTTPRequestHandler.address_string = lambda self: self.client_address[0]
    make = lambda request, client, server: SimpleHTTPRequestHandler(request, client, server, directory=args.directory)
    server = HTTPServer((where, args.port), make)
    print("Serving HTTP on %s port %d (http://%s:%d/) ..." % (where, args.port, where, args.port))
    server.serve_forever()
`;
