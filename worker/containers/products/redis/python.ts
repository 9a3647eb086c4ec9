// Python's driver of Redis, as far as small programs use it.

export const redis = String.raw`
import _host
__version__ = "6.4.0"
class RedisError(Exception): pass
class ConnectionError(RedisError): pass
class TimeoutError(RedisError): pass
class ResponseError(RedisError): pass
class AuthenticationError(ConnectionError): pass
class ReadOnlyError(ResponseError): pass
class _Names: pass
exceptions = _Names()
for _one in (RedisError, ConnectionError, TimeoutError, ResponseError, AuthenticationError, ReadOnlyError):
    setattr(exceptions, _one.__name__, _one)
_why = {"refused": "Error 111 connecting to %s:%d. Connection refused.", "unresolved": "Error -2 connecting to %s:%d. Name or service not known.", "timeout": "Timeout connecting to server", "dropped": "Error 110 connecting to %s:%d. Connection timed out.", "unreachable": "Error 113 connecting to %s:%d. No route to host."}
def _text(value):
    if isinstance(value, (bytes, bytearray)):
        return value.decode()
    return str(value)
class Redis:
    def __init__(self, host="localhost", port=6379, db=0, password=None, decode_responses=False, **more):
        self._host, self._port, self._db, self._password, self._decode = host, int(port), db, password, decode_responses
    @classmethod
    def from_url(kind, url, **more):
        rest = url.split("://", 1)[1]
        credentials, _, place = rest.rpartition("@")
        place, _, db = place.partition("/")
        host, _, port = place.partition(":")
        return kind(host, int(port or 6379), int(db or 0), credentials.partition(":")[2] or None, **more)
    def execute_command(self, *words):
        reply = _host.ask("resp", {"host": self._host, "port": self._port, "auth": self._password, "database": str(self._db) if self._db else None, "command": [_text(item) for item in words]})
        if len(reply) == 3:
            text = _why.get(reply[2], "Connection closed by server.")
            raise ConnectionError(text % (self._host, self._port) if "%" in text else text)
        if len(reply) == 2:
            text = reply[1]
            if text.startswith("NOAUTH") or text.startswith("WRONGPASS"):
                raise AuthenticationError(text.split(" ", 1)[1])
            kind, rest = (ReadOnlyError, text.split(" ", 1)[1]) if text.startswith("READONLY") else (ResponseError, text[4:] if text.startswith("ERR ") else text)
            raise kind(rest)
        return reply[0]
    def _given(self, value):
        if isinstance(value, str):
            return value if self._decode else value.encode()
        return [self._given(item) for item in value] if isinstance(value, list) else value
    def ping(self): return self.execute_command("PING") == "PONG"
    def get(self, key): return self._given(self.execute_command("GET", key))
    def set(self, key, value, ex=None, px=None, nx=False, xx=False):
        more = (["EX", ex] if ex is not None else []) + (["PX", px] if px is not None else []) + (["NX"] if nx else []) + (["XX"] if xx else [])
        return True if self.execute_command("SET", key, value, *more) == "OK" else None
    def setex(self, key, time, value): return self.set(key, value, ex=time)
    def setnx(self, key, value): return self.execute_command("SETNX", key, value) == 1
    def incr(self, key, amount=1): return self.execute_command("INCRBY", key, amount)
    incrby = incr
    def decr(self, key, amount=1): return self.execute_command("DECRBY", key, amount)
    def exists(self, *keys): return self.execute_command("EXISTS", *keys)
    def delete(self, *keys): return self.execute_command("DEL", *keys)
    def expire(self, key, time): return self.execute_command("EXPIRE", key, time) == 1
    def ttl(self, key): return self.execute_command("TTL", key)
    def keys(self, pattern="*"): return self._given(self.execute_command("KEYS", pattern))
    def mget(self, *keys): return self._given(self.execute_command("MGET", *(keys[0] if len(keys) == 1 and isinstance(keys[0], list) else keys)))
    def lpush(self, key, *values): return self.execute_command("LPUSH", key, *values)
    def rpush(self, key, *values): return self.execute_command("RPUSH", key, *values)
    def lpop(self, key): return self._given(self.execute_command("LPOP", key))
    def rpop(self, key): return self._given(self.execute_command("RPOP", key))
    def blpop(self, keys, timeout=0):
        import time as _time
        keys = [keys] if isinstance(keys, str) else keys
        waited = 0
        while True:
            value_found = self.execute_command("BLPOP", *(list(keys) + [0]))
            if value_found is not None or (timeout and waited >= timeout):
                return tuple(self._given(value_found)) if value_found else None
            _time.sleep(1)
            waited += 1
    def lrange(self, key, start, end): return self._given(self.execute_command("LRANGE", key, start, end))
    def llen(self, key): return self.execute_command("LLEN", key)
    def hset(self, name, key=None, value=None, mapping=None):
        pairs = [key, value] if key is not None else []
        for item in (mapping or {}).items():
            pairs += list(item)
        return self.execute_command("HSET", name, *pairs)
    def hget(self, name, key): return self._given(self.execute_command("HGET", name, key))
    def hgetall(self, name):
        flat = self._given(self.execute_command("HGETALL", name))
        return {flat[at]: flat[at + 1] for at in range(0, len(flat), 2)}
    def hincrby(self, name, key, amount=1): return self.execute_command("HINCRBY", name, key, amount)
    def sadd(self, key, *values): return self.execute_command("SADD", key, *values)
    def smembers(self, key): return set(self._given(self.execute_command("SMEMBERS", key)))
    def zadd(self, key, mapping):
        flat = []
        for member, score in mapping.items():
            flat += [score, member]
        return self.execute_command("ZADD", key, *flat)
    def zincrby(self, key, amount, member): return float(self.execute_command("ZINCRBY", key, amount, member))
    def zrevrange(self, key, start, end, withscores=False):
        flat = self._given(self.execute_command("ZREVRANGE", key, start, end, *(["WITHSCORES"] if withscores else [])))
        return [(flat[at], float(flat[at + 1])) for at in range(0, len(flat), 2)] if withscores else flat
    def publish(self, channel, message): return self.execute_command("PUBLISH", channel, message)
    def dbsize(self): return self.execute_command("DBSIZE")
    def flushdb(self): return self.execute_command("FLUSHDB") == "OK"
    flushall = flushdb
    def info(self, section=None):
        text = self.execute_command("INFO", *([section] if section else []))
        value_found = {}
        for line in text.split("\r\n"):
            name, colon, value = line.partition(":")
            if colon:
                value_found[name] = int(value) if value.isdigit() else value
        return value_found
    def close(self): pass
StrictRedis = Redis
_parts = {"exceptions": exceptions}
def from_url(url, **more): return Redis.from_url(url, **more)
`;
