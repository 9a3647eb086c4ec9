// Python's sockets: to visitors that the container hands in, and to other hosts.

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
        reply = _host.ask("wait", None, True)
        if "visit" in reply:
            self._visited(reply["visit"])
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
        return "".join([chr(item) if item < 128 else "?" for item in data])

def raw(data):
    """What was written to a socket: a response of HTTP, or another text."""
    reply = text(data)
    if not reply.startswith("HTTP/"):
        _host.ask("respond", {"status": 200 if reply else 0, "headers": [], "body": reply})
        return
    head, _, body = reply.replace("\r\n", "\n").partition("\n\n")
    lines = head.split("\n")
    headers = [[item.split(":", 1)[0].strip(), item.split(":", 1)[1].strip()] for item in lines[1:] if ":" in item]
    _host.ask("respond", {"status": int(lines[0].split()[1]), "headers": headers, "body": body})

class Connection:
    """A socket to a visitor."""
    def __init__(self, visit):
        head = "%s %s HTTP/1.1\r\n" % (visit["method"], visit["path"])
        head += "".join(["%s: %s\r\n" % (item[0], item[1]) for item in visit["headers"]])
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
    address = name if name.replace(".", "").isdigit() else _host.ask("resolve", name)
    if address is None:
        raise gaierror(-2, "Name or service not known")
    return address
def getaddrinfo(name, port, *more):
    return [(AF_INET, SOCK_STREAM, 6, "", (gethostbyname(name), port))]
def inet_aton(text):
    return bytes([int(item) for item in text.split(".")])

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
            reply = _host.ask("wait", None if self._timeout is None else self._timeout * 1000, True)
            if "visit" in reply:
                visit = reply["visit"]
                return socketserver.Connection(visit), (visit["from"], 40000 + len(visit["id"]))
            if "signal" in reply:
                handler = _host.handlers.get(reply["signal"])
                if callable(handler):
                    handler(reply["signal"], None)
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
        headers = [[item.split(":", 1)[0].strip(), item.split(":", 1)[1].strip()] for item in lines[1:] if ":" in item and not item.lower().startswith("host:")]
        reply = _host.ask("fetch", {"method": words[0], "url": "http://%s:%d%s" % (self._peer[0], self._peer[1], words[1]), "headers": headers, "body": body, "timeoutMs": None})
        if "error" in reply:
            return b""
        out = "HTTP/1.1 %d %s\r\n" % (reply["status"], reply["reason"])
        out += "".join(["%s: %s\r\n" % (item[0], item[1]) for item in reply["headers"]])
        return (out + "\r\n" + reply["body"]).encode()
    def shutdown(self, how):
        pass
    def close(self):
        pass
    def __enter__(self):
        return self
    def __exit__(self, *more):
        self.close()
def create_connection(address, timeout=None):
    connection = socket()
    connection.settimeout(timeout)
    connection.connect(address)
    return connection
`;
