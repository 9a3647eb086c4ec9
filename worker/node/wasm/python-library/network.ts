// Python's modules for the network: servers of HTTP whose visitors the container hands in, sockets, and clients.

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
        return time.strftime("%d/%b/%Y %H:%M:%S", time.gmtime(self.request["atMs"] / 1000))
    def date_time_string(self, timestamp=None):
        return time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(self.request["atMs"] / 1000 if timestamp is None else timestamp))

class SimpleHTTPRequestHandler(BaseHTTPRequestHandler):
    server_version = "SimpleHTTP/0.6"
    def __init__(self, request, client_address, server, directory=None):
        self.directory = os.getcwd() if directory is None else str(directory)
        super().__init__(request, client_address, server)
    def do_GET(self):
        found = self.send_head()
        if found is not None:
            self.wfile.write(found)
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
            index = [one for one in ("index.html", "index.htm") if os.path.isfile(path + "/" + one)]
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
        names = [one + "/" if os.path.isdir(path + "/" + one) else one for one in sorted(os.listdir(path))]
        items = "".join(['<li><a href="%s">%s</a></li>\n' % (one, one) for one in names])
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

export const socketserver = String.raw`
import _host, io, sys
class BaseServer:
    def __init__(self, server_address, RequestHandlerClass, bind_and_activate=True):
        self.server_address = (server_address[0] or "0.0.0.0", int(server_address[1]))
        self.server_name, self.server_port = self.server_address
        self.RequestHandlerClass = RequestHandlerClass
        self._stopped = False
        if bind_and_activate:
            self.server_activate()
    def server_bind(self):
        pass
    def server_activate(self):
        _host.listen(self.server_address[1])
    def fileno(self):
        return 9
    def _visited(self, visit):
        answered(self, visit)
    def serve_forever(self, poll_interval=0.5):
        import threading
        _host.servers[self.server_address[1]] = self._visited
        if threading.current is not None:
            return
        while not self._stopped:
            _host.wait()
    def handle_request(self):
        said = _host.ask("wait", None, True)
        if "visit" in said:
            self._visited(said["visit"])
    def shutdown(self):
        self._stopped = True
        _host.servers.pop(self.server_address[1], None)
    def server_close(self):
        _host.servers.pop(self.server_address[1], None)
    def __enter__(self):
        return self
    def __exit__(self, *error):
        self.server_close()

class TCPServer(BaseServer):
    allow_reuse_address = False
class ThreadingMixIn:
    daemon_threads = False
class ThreadingTCPServer(ThreadingMixIn, TCPServer): pass
class UDPServer(BaseServer): pass

def answered(server, visit):
    """Runs a handler for a visitor, and says what it wrote."""
    client = (visit["from"], 40000 + len(visit["id"]))
    visit["atMs"] = _host.ask("now")
    try:
        handler = server.RequestHandlerClass(visit, client, server)
    except SystemExit:
        raise
    except Exception as error:
        import _program
        sys.stderr.write("-" * 40 + "\nException occurred during processing of request from %r\n" % (client,))
        sys.stderr.write("".join(_program.formatted(error)) + "-" * 40 + "\n")
        _host.ask("respond", {"status": 0, "headers": [], "body": ""})
        return
    if hasattr(handler, "_status"):
        body = b"".join(handler.wfile.parts)
        _host.ask("respond", {"status": handler._status, "headers": handler._headers, "body": text(body)})
    else:
        raw(b"".join(handler._sent))

def text(data):
    try:
        return data.decode()
    except Exception:
        return "".join([chr(one) if one < 128 else "?" for one in data])

def raw(data):
    """What was written to a socket: a response of HTTP, or another text."""
    said = text(data)
    if not said.startswith("HTTP/"):
        _host.ask("respond", {"status": 200 if said else 0, "headers": [], "body": said})
        return
    head, _, body = said.replace("\r\n", "\n").partition("\n\n")
    lines = head.split("\n")
    headers = [[one.split(":", 1)[0].strip(), one.split(":", 1)[1].strip()] for one in lines[1:] if ":" in one]
    _host.ask("respond", {"status": int(lines[0].split()[1]), "headers": headers, "body": body})

class Connection:
    """A socket to a visitor."""
    def __init__(self, visit):
        head = "%s %s HTTP/1.1\r\n" % (visit["method"], visit["path"])
        head += "".join(["%s: %s\r\n" % (one[0], one[1]) for one in visit["headers"]])
        self._data = (head + "\r\n" + visit["body"]).encode()
        self._sent = []
        self._closed = False
    def recv(self, size=1024):
        some, self._data = self._data[:size], self._data[size:]
        return some
    def send(self, data):
        self._sent.append(bytes(data))
        return len(data)
    sendall = write = send
    def makefile(self, mode="r", **more):
        return io.BytesIO(self._data) if "r" in mode else self
    def settimeout(self, seconds):
        pass
    def setblocking(self, flag):
        pass
    def shutdown(self, how):
        pass
    def flush(self):
        pass
    def close(self):
        if not self._closed:
            self._closed = True
            raw(b"".join(self._sent))
    def __enter__(self):
        return self
    def __exit__(self, *error):
        self.close()

class BaseRequestHandler:
    def __init__(self, request, client_address, server):
        self.client_address, self.server = client_address, server
        self.request = Connection(request)
        self._sent = self.request._sent
        self.setup()
        self.handle()
        self.finish()
    def setup(self):
        pass
    def handle(self):
        pass
    def finish(self):
        pass
class StreamRequestHandler(BaseRequestHandler):
    def setup(self):
        self.rfile = io.BytesIO(self.request._data)
        self.wfile = self.request
`;

export const socket = String.raw`
import _host, socketserver
AF_INET, AF_INET6, AF_UNIX = 2, 10, 1
SOCK_STREAM, SOCK_DGRAM = 1, 2
SOL_SOCKET, SO_REUSEADDR, SO_REUSEPORT, SHUT_RDWR, SHUT_WR, IPPROTO_TCP, TCP_NODELAY = 1, 2, 15, 2, 1, 6, 1
error = OSError
class gaierror(OSError): pass
class timeout(OSError): pass
def gethostname():
    return _host.start["host"]
getfqdn = lambda name=None: name or gethostname()
def gethostbyname(name):
    found = name if name.replace(".", "").isdigit() else _host.ask("resolve", name)
    if found is None:
        raise gaierror(-2, "Name or service not known")
    return found
def getaddrinfo(name, port, *more):
    return [(AF_INET, SOCK_STREAM, 6, "", (gethostbyname(name), port))]
def inet_aton(text):
    return bytes([int(one) for one in text.split(".")])

class socket:
    def __init__(self, family=AF_INET, type=SOCK_STREAM, proto=0):
        self._port, self._peer, self._timeout = None, None, None
        self._out, self._in = b"", None
    def setsockopt(self, *more):
        pass
    def settimeout(self, seconds):
        self._timeout = seconds
    def setblocking(self, flag):
        pass
    def bind(self, address):
        self._port = int(address[1])
    def listen(self, backlog=5):
        _host.listen(self._port)
    def getsockname(self):
        return ("0.0.0.0", self._port or 40000)
    def fileno(self):
        return 9
    def accept(self):
        while True:
            said = _host.ask("wait", None if self._timeout is None else self._timeout * 1000, True)
            if "visit" in said:
                visit = said["visit"]
                return socketserver.Connection(visit), (visit["from"], 40000 + len(visit["id"]))
            if "signal" in said:
                handler = _host.handlers.get(said["signal"])
                if callable(handler):
                    handler(said["signal"], None)
            else:
                raise timeout("timed out")
    def connect(self, address):
        gethostbyname(address[0])
        kind = _host.ask("connect", {"host": address[0], "port": int(address[1]), "timeoutMs": None if self._timeout is None else self._timeout * 1000})
        if kind == "refused":
            raise ConnectionRefusedError(111, "Connection refused")
        if kind == "unreachable":
            raise OSError(113, "No route to host")
        if kind not in ("open", "answered", "outside"):
            raise TimeoutError(110, "Connection timed out") if self._timeout is None else timeout("timed out")
        self._peer = address
    def connect_ex(self, address):
        try:
            self.connect(address)
        except OSError as error:
            return error.errno or 11
        return 0
    def send(self, data):
        self._out += bytes(data)
        return len(data)
    sendall = send
    def recv(self, size=1024):
        if self._in is None:
            self._in = self._asked()
        some, self._in = self._in[:size], self._in[size:]
        return some
    def _asked(self):
        head, _, body = self._out.decode().replace("\r\n", "\n").partition("\n\n")
        lines = head.split("\n")
        words = lines[0].split()
        if len(words) < 3:
            return b""
        headers = [[one.split(":", 1)[0].strip(), one.split(":", 1)[1].strip()] for one in lines[1:] if ":" in one and not one.lower().startswith("host:")]
        said = _host.ask("fetch", {"method": words[0], "url": "http://%s:%d%s" % (self._peer[0], self._peer[1], words[1]), "headers": headers, "body": body, "timeoutMs": None})
        if "error" in said:
            return b""
        out = "HTTP/1.1 %d %s\r\n" % (said["status"], said["reason"])
        out += "".join(["%s: %s\r\n" % (one[0], one[1]) for one in said["headers"]])
        return (out + "\r\n" + said["body"]).encode()
    def shutdown(self, how):
        pass
    def close(self):
        pass
    def __enter__(self):
        return self
    def __exit__(self, *more):
        self.close()
def create_connection(address, timeout=None):
    one = socket()
    one.settimeout(timeout)
    one.connect(address)
    return one
`;

export const urllibError = String.raw`
class URLError(OSError):
    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason
    def __str__(self):
        return "<urlopen error %s>" % self.reason
class HTTPError(URLError):
    def __init__(self, url, code, msg, headers, fp):
        super().__init__(msg)
        self.url, self.code, self.status, self.msg, self.headers, self.fp = url, code, code, msg, headers, fp
    def __str__(self):
        return "HTTP Error %s: %s" % (self.code, self.msg)
    def read(self, size=-1):
        return self.fp.read()
`;

export const urllibParse = String.raw`
_safe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~"
def quote(text, safe="/"):
    return "".join([chr(one) if chr(one) in _safe + safe else "%%%02X" % one for one in (text if isinstance(text, bytes) else str(text).encode())])
def quote_plus(text, safe=""):
    return quote(text, safe + " ").replace(" ", "+")
def unquote(text):
    if "%" not in text:
        return text
    parts = text.split("%")
    out = parts[0].encode()
    for one in parts[1:]:
        try:
            out += bytes([int(one[:2], 16)]) + one[2:].encode()
        except ValueError:
            out += b"%" + one.encode()
    return out.decode()
def unquote_plus(text):
    return unquote(text.replace("+", " "))
def urlencode(query, doseq=False):
    pairs = query.items() if hasattr(query, "items") else query
    return "&".join(["%s=%s" % (quote_plus(str(key)), quote_plus(str(value))) for key, value in pairs])
def parse_qsl(text, keep_blank_values=False):
    pairs = [(one.partition("=")[0], one.partition("=")[2]) for one in text.split("&") if one]
    return [(unquote_plus(key), unquote_plus(value)) for key, value in pairs if value or keep_blank_values]
def parse_qs(text, keep_blank_values=False):
    found = {}
    for key, value in parse_qsl(text, keep_blank_values):
        found.setdefault(key, []).append(value)
    return found
class ParseResult(tuple):
    scheme = property(lambda self: self[0])
    netloc = property(lambda self: self[1])
    path = property(lambda self: self[2])
    params = property(lambda self: self[3])
    query = property(lambda self: self[4])
    fragment = property(lambda self: self[5])
    hostname = property(lambda self: self[1].rsplit("@", 1)[-1].split(":")[0] or None)
    port = property(lambda self: int(self[1].rsplit(":", 1)[1]) if ":" in self[1].rsplit("@", 1)[-1] else None)
    def geturl(self):
        return urlunparse(self)
def urlparse(url):
    rest, _, fragment = url.partition("#")
    rest, _, query = rest.partition("?")
    scheme, mark, after = rest.partition("://")
    if not mark:
        return ParseResult(("", "", rest, "", query, fragment))
    netloc, slash, path = after.partition("/")
    return ParseResult((scheme, netloc, slash + path, "", query, fragment))
urlsplit = urlparse
def urlunparse(parts):
    scheme, netloc, path, params, query, fragment = parts
    return (scheme + "://" + netloc if scheme else "") + path + ("?" + query if query else "") + ("#" + fragment if fragment else "")
def urljoin(base, url):
    if "://" in url:
        return url
    parts = urlparse(base)
    root = parts.scheme + "://" + parts.netloc
    return root + url if url.startswith("/") else root + parts.path.rsplit("/", 1)[0] + "/" + url
`;

export const urllibRequest = String.raw`
import _host, io
from http.server import Headers
from urllib.error import URLError, HTTPError
_why = {"refused": "[Errno 111] Connection refused", "unresolved": "[Errno -2] Name or service not known", "timeout": "timed out",
    "dropped": "[Errno 110] Connection timed out", "unreachable": "[Errno 113] No route to host", "unknown": "unknown url type"}
class Request:
    def __init__(self, url, data=None, headers={}, origin_req_host=None, unverifiable=False, method=None):
        self.full_url, self.data, self.headers = url, data, dict(headers)
        self.method = method
    def get_method(self):
        return self.method or ("GET" if self.data is None else "POST")
    def add_header(self, name, value):
        self.headers[name] = value
class Response(io.BytesIO):
    def _with(self, said, url):
        self.status = self.code = said["status"]
        self.reason = self.msg = said["reason"]
        self.headers = Headers(said["headers"])
        self.url = url
        return self
    def getcode(self):
        return self.status
    def info(self):
        return self.headers
    def geturl(self):
        return self.url
    def getheader(self, name, default=None):
        return self.headers.get(name, default)
    def __enter__(self):
        return self
    def __exit__(self, *error):
        pass
def urlopen(url, data=None, timeout=None, context=None):
    asked = url if isinstance(url, Request) else Request(url, data)
    for count in range(10):
        headers = [[name, str(value)] for name, value in asked.headers.items()] + [["User-Agent", "Python-urllib/3.13"]]
        said = _host.ask("fetch", {"method": asked.get_method(), "url": asked.full_url, "headers": headers,
            "body": "" if asked.data is None else asked.data if isinstance(asked.data, str) else asked.data.decode(),
            "timeoutMs": None if timeout is None else timeout * 1000})
        if "error" in said:
            if said["error"] == "timeout":
                raise TimeoutError("timed out")
            raise URLError(_why.get(said["error"], "[Errno 104] Connection reset by peer"))
        to = dict([(one[0].lower(), one[1]) for one in said["headers"]]).get("location")
        if to and 300 <= said["status"] < 400:
            from urllib.parse import urljoin
            asked = Request(urljoin(asked.full_url, to), headers=asked.headers)
            continue
        break
    response = Response(said["body"].encode())._with(said, asked.full_url)
    if said["status"] >= 400:
        raise HTTPError(asked.full_url, said["status"], said["reason"], response.headers, response)
    return response
def urlretrieve(url, filename):
    with open(filename, "wb") as f:
        f.write(urlopen(url).read())
    return filename, None
`;

export const requests = String.raw`
import _host, json as _json
from http.server import Headers
__version__ = "2.32.5"
class RequestException(OSError): pass
class HTTPError(RequestException):
    def __init__(self, text, response=None):
        super().__init__(text)
        self.response = response
class ConnectionError(RequestException): pass
class Timeout(RequestException): pass
class ConnectTimeout(Timeout): pass
class ReadTimeout(Timeout): pass
class _Exceptions: pass
exceptions = _Exceptions()
for _one in (RequestException, HTTPError, ConnectionError, Timeout, ConnectTimeout, ReadTimeout):
    setattr(exceptions, _one.__name__, _one)
_why = {"refused": "[Errno 111] Connection refused", "unresolved": "[Errno -2] Name or service not known", "dropped": "[Errno 110] Connection timed out",
    "unreachable": "[Errno 113] No route to host"}
class Response:
    def __init__(self, said, url):
        self.status_code, self.reason, self.url, self.text = said["status"], said["reason"], url, said["body"]
        self.headers = Headers(said["headers"])
        self.content = self.text.encode()
        self.ok = self.status_code < 400
    def json(self):
        return _json.loads(self.text)
    def raise_for_status(self):
        if not self.ok:
            kind = "Client" if self.status_code < 500 else "Server"
            raise HTTPError("%d %s Error: %s for url: %s" % (self.status_code, kind, self.reason, self.url), self)
    def __repr__(self):
        return "<Response [%d]>" % self.status_code
def request(method, url, params=None, data=None, json=None, headers=None, timeout=None, verify=True, allow_redirects=True, auth=None, **more):
    from urllib.parse import urlencode, urljoin, urlparse
    if params:
        url += ("&" if "?" in url else "?") + urlencode(params)
    sent = dict(headers or {})
    body = data or ""
    if json is not None:
        body = _json.dumps(json)
        sent.setdefault("Content-Type", "application/json")
    elif isinstance(data, dict):
        body = urlencode(data)
        sent.setdefault("Content-Type", "application/x-www-form-urlencoded")
    elif isinstance(data, (bytes, bytearray)):
        body = data.decode()
    sent.setdefault("User-Agent", "python-requests/" + __version__)
    limit = timeout[1] if isinstance(timeout, tuple) else timeout
    for count in range(10):
        said = _host.ask("fetch", {"method": method.upper(), "url": url, "headers": [[name, str(value)] for name, value in sent.items()],
            "body": body, "timeoutMs": None if limit is None else limit * 1000})
        if "error" in said:
            parts = urlparse(url)
            where = "host='%s', port=%d" % (parts.hostname, parts.port or (443 if parts.scheme == "https" else 80))
            if said["error"] == "timeout":
                raise ConnectTimeout("HTTPConnectionPool(%s): Max retries exceeded with url: %s (Caused by ConnectTimeoutError('timed out. (connect timeout=%s)'))" % (where, parts.path or "/", limit))
            raise ConnectionError("HTTPConnectionPool(%s): Max retries exceeded with url: %s (Caused by NewConnectionError('Failed to establish a new connection: %s'))" % (where, parts.path or "/", _why.get(said["error"], "")))
        to = dict([(one[0].lower(), one[1]) for one in said["headers"]]).get("location")
        if not (to and allow_redirects and 300 <= said["status"] < 400):
            break
        url = urljoin(url, to)
    return Response(said, url)
def get(url, **more):
    return request("GET", url, **more)
def post(url, data=None, json=None, **more):
    return request("POST", url, data=data, json=json, **more)
def put(url, data=None, **more):
    return request("PUT", url, data=data, **more)
def patch(url, data=None, **more):
    return request("PATCH", url, data=data, **more)
def delete(url, **more):
    return request("DELETE", url, **more)
def head(url, **more):
    return request("HEAD", url, **more)
class Session:
    def __init__(self):
        self.headers = {}
    def request(self, method, url, headers=None, **more):
        return request(method, url, headers=dict(list(self.headers.items()) + list((headers or {}).items())), **more)
    def get(self, url, **more):
        return self.request("GET", url, **more)
    def post(self, url, **more):
        return self.request("POST", url, **more)
    def __enter__(self):
        return self
    def __exit__(self, *error):
        pass
`;
