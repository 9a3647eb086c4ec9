// A small Flask: routes, requests, answers, and its development server.

export const flask = String.raw`
import sys, json as _json, time, _host
from urllib.parse import parse_qsl, unquote
from http.server import Headers, _reasons

class _Fields(dict):
    def getlist(self, name):
        return [self[name]] if name in self else []

class _Request:
    def _of(self, visit):
        self.method = visit["method"]
        self.full_path = visit["path"]
        self.path, _, query = visit["path"].partition("?")
        self.path = unquote(self.path)
        self.query_string = query.encode()
        self.args = _Fields(parse_qsl(query, True))
        self.headers = Headers(visit["headers"])
        self.data = visit["body"].encode()
        self.remote_addr = visit["from"]
        self.host = self.headers.get("Host", "localhost")
        self.url = "http://" + self.host + self.full_path
        self.content_type = self.headers.get("Content-Type", "")
        self.form = _Fields(parse_qsl(visit["body"], True) if "urlencoded" in self.content_type else [])
        self.cookies = {}
        return self
    def get_data(self, as_text=False):
        return self.data.decode() if as_text else self.data
    def get_json(self, force=False, silent=False):
        try:
            return _json.loads(self.data.decode())
        except Exception:
            if silent:
                return None
            abort(400)
    is_json = property(lambda self: "json" in self.content_type)
    json = property(lambda self: self.get_json())
    values = property(lambda self: self.args)

request = _Request()
class _G: pass
g = _G()
session = {}

class Response:
    def __init__(self, response="", status=200, headers=None, mimetype=None, content_type=None):
        self.data = response if isinstance(response, (str, bytes)) else "".join(response)
        self.status_code = int(status)
        self.headers = dict(headers or {})
        self.content_type = content_type or mimetype or "text/html; charset=utf-8"
        if mimetype and mimetype.startswith("text/"):
            self.content_type = mimetype + "; charset=utf-8"
    def set_cookie(self, *more, **options):
        pass

class HTTPException(Exception):
    def __init__(self, code, description=None):
        super().__init__(code)
        self.code, self.description = code, description or _reasons.get(code, "")

_why = {404: "The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.",
    405: "The method is not allowed for the requested URL.",
    500: "The server encountered an internal error and was unable to complete your request. Either the server is overloaded or there is an error in the application."}

def _page(code, description=None):
    name = _reasons.get(code, "Unknown")
    return Response("<!doctype html>\n<html lang=en>\n<title>%d %s</title>\n<h1>%s</h1>\n<p>%s</p>\n" % (code, name, name, description or _why.get(code, name)), code)

def abort(code, description=None):
    raise HTTPException(code, description)
def jsonify(*args, **fields):
    value = fields if fields else args[0] if len(args) == 1 else list(args)
    return Response(_json.dumps(value) + "\n", mimetype="application/json")
def make_response(*values):
    return _response(values[0] if len(values) == 1 else values)
def redirect(location, code=302):
    return Response("", code, {"Location": location})
def escape(text):
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
def render_template_string(text, **values):
    for name, value in values.items():
        text = text.replace("{{ %s }}" % name, str(value)).replace("{{%s}}" % name, str(value))
    return text
def render_template(name, **values):
    with open("templates/" + name) as f:
        return render_template_string(f.read(), **values)
def url_for(name, **values):
    return "/" + name

def _response(result):
    status, headers = None, None
    if isinstance(result, tuple):
        if len(result) == 3:
            result, status, headers = result
        elif isinstance(result[1], (dict, list)):
            result, headers = result
        else:
            result, status = result
    if result is None:
        raise TypeError("The view function did not return a valid response. The function either returned None or ended without a return statement.")
    response = result if isinstance(result, Response) else jsonify(result) if isinstance(result, (dict, list)) else Response(result)
    if status is not None:
        response.status_code = int(status)
    response.headers.update(dict(headers or {}))
    return response

class Blueprint:
    def __init__(self, name, import_name=None, url_prefix="", **more):
        self.name, self.url_prefix, self.rules = name, url_prefix or "", []
        self.before, self.after, self.handlers = [], [], {}
    def route(self, rule, methods=None, **more):
        def added(view):
            self.add_url_rule(rule, None, view, methods=methods)
            return view
        return added
    def add_url_rule(self, rule, endpoint=None, view_func=None, methods=None, **more):
        self.rules.append((rule, [item.upper() for item in methods or ["GET"]], view_func))
    def get(self, rule, **more):
        return self.route(rule, ["GET"])
    def post(self, rule, **more):
        return self.route(rule, ["POST"])
    def put(self, rule, **more):
        return self.route(rule, ["PUT"])
    def delete(self, rule, **more):
        return self.route(rule, ["DELETE"])
    def before_request(self, call):
        self.before.append(call)
        return call
    def after_request(self, call):
        self.after.append(call)
        return call
    def errorhandler(self, code):
        def added(view):
            self.handlers[code] = view
            return view
        return added

class _Logger:
    def _say(self, level, text, *args):
        sys.stderr.write("[%s] %s in app: %s\n" % (time.strftime("%Y-%m-%d %H:%M:%S,000"), level, text % args if args else text))
    def info(self, text, *args):
        self._say("INFO", text, *args)
    def warning(self, text, *args):
        self._say("WARNING", text, *args)
    def error(self, text, *args):
        self._say("ERROR", text, *args)
    debug = lambda self, *more: None
    exception = error

class Flask(Blueprint):
    def __init__(self, import_name, **more):
        super().__init__(import_name)
        self.config = {}
        self.logger = _Logger()
        self.secret_key = None
    def register_blueprint(self, blueprint, url_prefix=None):
        for rule, methods, view in blueprint.rules:
            self.rules.append(((url_prefix or blueprint.url_prefix) + rule, methods, view))
    def _match(self, rule, path):
        pattern, segments = rule.split("/"), path.split("/")
        values = {}
        for at, piece in enumerate(pattern):
            if piece.startswith("<") and piece.endswith(">"):
                kind, _, name = piece[1:-1].rpartition(":")
                if kind == "path":
                    values[name] = "/".join(segments[at:])
                    return values if values[name] else None
                if at >= len(segments) or segments[at] == "":
                    return None
                try:
                    values[name] = int(segments[at]) if kind == "int" else float(segments[at]) if kind == "float" else segments[at]
                except ValueError:
                    return None
            elif at >= len(segments) or piece != segments[at]:
                return None
        return values if len(pattern) == len(segments) else None
    def _answer(self, visit):
        request._of(visit)
        isKnown = False
        for rule, methods, view in self.rules:
            values = self._match(rule, request.path)
            if values is None:
                continue
            isKnown = True
            if request.method in methods or (request.method == "HEAD" and "GET" in methods):
                for call in self.before:
                    reply = call()
                    if reply is not None:
                        return _response(reply)
                return _response(view(**values))
        raise HTTPException(405 if isKnown else 404)
    def _handled(self, visit):
        try:
            return self._answer(visit)
        except HTTPException as error:
            handler = self.handlers.get(error.code)
            return _response(handler(error)) if handler else _page(error.code, error.description if error.description != _reasons.get(error.code) else None)
        except SystemExit:
            raise
        except Exception as error:
            import _program
            sys.stderr.write("[%s] ERROR in app: Exception on %s [%s]\n" % (time.strftime("%Y-%m-%d %H:%M:%S,000", time.gmtime(visit["atMs"] / 1000)), visit["path"], visit["method"]))
            sys.stderr.write("".join(_program.formatted(error)))
            handler = self.handlers.get(500) or self.handlers.get(Exception)
            return _response(handler(error)) if handler else _page(500)
    def _visited(self, visit):
        response = self._handled(visit)
        for call in self.after:
            response = call(response) or response
        body = response.data if isinstance(response.data, str) else response.data.decode()
        headers = [["Server", "Werkzeug/3.1.3 Python/3.13.9"], ["Date", time.http_time(visit["atMs"])], ["Content-Type", response.content_type]]
        headers += [[name, str(value)] for name, value in response.headers.items()]
        sys.stderr.write('%s - - [%s] "%s %s HTTP/1.1" %d -\n' % (visit["from"], time.log_time(visit["atMs"]), visit["method"], visit["path"], response.status_code))
        _host.ask("respond", {"status": response.status_code, "headers": headers, "body": body})
    def run(self, host=None, port=None, debug=None, **more):
        host, port = host or "127.0.0.1", int(port or 5000)
        name = self.name if self.name != "__main__" else _host.start["file"].rsplit("/", 1)[-1].replace(".py", "")
        print(" * Serving Flask app '%s'\n * Debug mode: %s" % (name, "on" if debug else "off"), flush=True)
        try:
            _host.listen(port)
        except OSError:
            sys.stderr.write("Address already in use\nPort %d is in use by another program. Either identify and stop that program, or start the server with a different port.\n" % port)
            raise SystemExit(1)
        sys.stderr.write("WARNING: This is a development server. Do not use it in a production deployment. Use a production WSGI server instead.\n")
        if host == "0.0.0.0":
            sys.stderr.write(" * Running on all addresses (0.0.0.0)\n * Running on http://127.0.0.1:%d\n * Running on http://%s:%d\n" % (port, _host.start["address"], port))
        else:
            sys.stderr.write(" * Running on http://%s:%d\n" % (host, port))
        sys.stderr.write("Press CTRL+C to quit\n")
        _host.servers[port] = self._visited
        while True:
            _host.wait()

def _found(named):
    import os
    sys.path.insert(0, os.getcwd())
    names = [named] if named else [file for file in ("wsgi", "app") if os.path.exists(file + ".py")]
    for target in names:
        module, _, attribute = target.partition(":")
        loaded = __import__(module[:-3] if module.endswith(".py") else module)
        for name in [attribute] if attribute else ["app", "application", "create_app", "make_app"]:
            value = getattr(loaded, name.replace("()", ""), None)
            if isinstance(value, Flask):
                return value
            if callable(value):
                return value()
    sys.stderr.write("Error: Could not locate a Flask application. Use the 'flask --app' option, 'FLASK_APP' environment variable, or a 'wsgi.py' or 'app.py' file in the current directory.\n")
    raise SystemExit(2)

def main():
    import os
    option_names = {"--app": "app", "-A": "app", "--host": "host", "-h": "host", "--port": "port", "-p": "port"}
    settings = {"app": os.environ.get("FLASK_APP"), "host": os.environ.get("FLASK_RUN_HOST"), "port": os.environ.get("FLASK_RUN_PORT")}
    args, command, debug = sys.argv[1:], None, False
    while args:
        argument, _, value = args.pop(0).partition("=")
        if argument in option_names:
            settings[option_names[argument]] = value or (args.pop(0) if args else "")
        elif argument == "--debug":
            debug = True
        elif not argument.startswith("-") and command is None:
            command = argument
    if command != "run":
        sys.stderr.write("Usage: flask [OPTIONS] COMMAND [ARGS]...\nTry 'flask --help' for help.\n\nError: %s\n" % ("No such command '%s'." % command if command else "Missing command."))
        raise SystemExit(2)
    _found(settings["app"]).run(settings["host"], settings["port"], debug)
`;
