// Python's HTTP clients, and URLs.

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
    return "".join([chr(item) if chr(item) in _safe + safe else "%%%02X" % item for item in (text if isinstance(text, bytes) else str(text).encode())])
def quote_plus(text, safe=""):
    return quote(text, safe + " ").replace(" ", "+")
def unquote(text):
    if "%" not in text:
        return text
    pieces = text.split("%")
    out = pieces[0].encode()
    for item in pieces[1:]:
        try:
            out += bytes([int(item[:2], 16)]) + item[2:].encode()
        except ValueError:
            out += b"%" + item.encode()
    return out.decode()
def unquote_plus(text):
    return unquote(text.replace("+", " "))
def urlencode(query, doseq=False):
    pairs = query.items() if hasattr(query, "items") else query
    return "&".join(["%s=%s" % (quote_plus(str(key)), quote_plus(str(value))) for key, value in pairs])
def parse_qsl(text, keep_blank_values=False):
    pairs = [(item.partition("=")[0], item.partition("=")[2]) for item in text.split("&") if item]
    return [(unquote_plus(key), unquote_plus(value)) for key, value in pairs if value or keep_blank_values]
def parse_qs(text, keep_blank_values=False):
    values = {}
    for key, value in parse_qsl(text, keep_blank_values):
        values.setdefault(key, []).append(value)
    return values
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
def urlunparse(pieces):
    scheme, netloc, path, params, query, fragment = pieces
    return (scheme + "://" + netloc if scheme else "") + path + ("?" + query if query else "") + ("#" + fragment if fragment else "")
def urljoin(base, url):
    if "://" in url:
        return url
    pieces = urlparse(base)
    root = pieces.scheme + "://" + pieces.netloc
    return root + url if url.startswith("/") else root + pieces.path.rsplit("/", 1)[0] + "/" + url
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
    def _with(self, reply, url):
        self.status = self.code = reply["status"]
        self.reason = self.msg = reply["reason"]
        self.headers = Headers(reply["headers"])
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
    request = url if isinstance(url, Request) else Request(url, data)
    for count in range(10):
        headers = [[name, str(value)] for name, value in request.headers.items()] + [["User-Agent", "Python-urllib/3.13"]]
        reply = _host.ask("fetch", {"method": request.get_method(), "url": request.full_url, "headers": headers,
            "body": "" if request.data is None else request.data if isinstance(request.data, str) else request.data.decode(),
            "timeoutMs": None if timeout is None else timeout * 1000})
        if "error" in reply:
            if reply["error"] == "timeout":
                raise TimeoutError("timed out")
            raise URLError(_why.get(reply["error"], "[Errno 104] Connection reset by peer"))
        to = dict([(item[0].lower(), item[1]) for item in reply["headers"]]).get("location")
        if to and 300 <= reply["status"] < 400:
            from urllib.parse import urljoin
            request = Request(urljoin(request.full_url, to), headers=request.headers)
            continue
        break
    response = Response(reply["body"].encode())._with(reply, request.full_url)
    if reply["status"] >= 400:
        raise HTTPError(request.full_url, reply["status"], reply["reason"], response.headers, response)
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
    def __init__(self, reply, url):
        self.status_code, self.reason, self.url, self.text = reply["status"], reply["reason"], url, reply["body"]
        self.headers = Headers(reply["headers"])
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
        reply = _host.ask("fetch", {"method": method.upper(), "url": url, "headers": [[name, str(value)] for name, value in sent.items()],
            "body": body, "timeoutMs": None if limit is None else limit * 1000})
        if "error" in reply:
            pieces = urlparse(url)
            where = "host='%s', port=%d" % (pieces.hostname, pieces.port or (443 if pieces.scheme == "https" else 80))
            if reply["error"] == "timeout":
                raise ConnectTimeout("HTTPConnectionPool(%s): Max retries exceeded with url: %s (Caused by ConnectTimeoutError('timed out. (connect timeout=%s)'))" % (where, pieces.path or "/", limit))
            raise ConnectionError("HTTPConnectionPool(%s): Max retries exceeded with url: %s (Caused by NewConnectionError('Failed to establish a new connection: %s'))" % (where, pieces.path or "/", _why.get(reply["error"], "")))
        to = dict([(item[0].lower(), item[1]) for item in reply["headers"]]).get("location")
        if not (to and allow_redirects and 300 <= reply["status"] < 400):
            break
        url = urljoin(url, to)
    return Response(reply, url)
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
