"""A fake API on loopback that answers as an Airbyte manifest expects: its addresses, record paths, paging, parents and times."""

import copy
import datetime
import gzip
import hashlib
import itertools
import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote, urlsplit

from airbyte_cdk.sources.declarative.datetime.datetime_parser import DatetimeParser
from airbyte_cdk.sources.declarative.interpolation import InterpolatedBoolean
from airbyte_cdk.sources.declarative.interpolation.jinja import _ENVIRONMENT, JinjaInterpolation
from jinja2 import nodes

TEMPLATE = re.compile(r"(\{\{.*?\}\}|\{%.*?%\})", re.S)
DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(?:Z|[+-]\d\d:?\d\d)?|(?<!\d)(?:\d{13}|\d{10}|\d{8})(?!\d)")
NOW = datetime.datetime.now(datetime.timezone.utc)
TODAY = NOW.replace(hour=0, minute=0, second=0, microsecond=0)
START = TODAY - datetime.timedelta(days=3)
# Headers that a client sends by itself.
USUAL = {"host", "user-agent", "accept", "accept-encoding", "accept-language", "connection", "content-length", "content-type", "sec-fetch-mode"}
ABSENT = object()


def paths_in(template, root):
    """Returns the paths below a variable that a template reads, as tuples; `'x' not in a.b` reads (b, x)."""
    try:
        tree = _ENVIRONMENT.parse(str(template))
    except Exception:
        return []
    found = []

    def chain(node):
        if isinstance(node, nodes.Name):
            return (node.name,)
        if isinstance(node, nodes.Getattr):
            inner = chain(node.node)
            return inner and (*inner, node.attr)
        if isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const):
            inner = chain(node.node)
            return inner and (*inner, node.arg.value)
        if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr) and node.node.attr == "get" and node.args:
            inner = chain(node.node.node)
            return inner and isinstance(node.args[0], nodes.Const) and (*inner, node.args[0].value)
        return None

    def walk(node):
        path = chain(node)
        if path:
            if path[0] == root and len(path) > 1:
                found.append(path[1:])
            return
        if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr) and node.node.attr != "get":
            for inner in (node.node.node, *node.args):
                walk(inner)
            return
        if isinstance(node, nodes.Compare) and node.ops[0].op in ("in", "notin") and isinstance(node.expr, nodes.Const):
            container = chain(node.ops[0].expr)
            if container and container[0] == root:
                found.append((*container[1:], node.expr.value))
                return
        for child in node.iter_child_nodes():
            walk(child)

    walk(tree)
    return list(dict.fromkeys(found))


def put(document, path, value):
    """Writes a value at a path; ABSENT only makes the objects on the way."""
    for step in path[:-1]:
        if isinstance(document, list):
            return
        document = document.setdefault(step, {})
    if isinstance(document, dict) and value is not ABSENT:
        document[path[-1]] = value


def leaves(value, path=()):
    """Yields the scalar values of a document with their paths."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, (*path, str(key)))
    elif isinstance(value, list) and value:
        for inner in value:
            yield from leaves(inner, path)
    else:
        yield path, value


def time_of(text, form):
    """Returns the time that a text means, and whether it is a whole day."""
    if re.fullmatch(r"\d{13}|\d{10}", text):
        return datetime.datetime.fromtimestamp(int(text[:10]), datetime.timezone.utc), False
    try:
        if re.fullmatch(r"\d{8}", text):
            return datetime.datetime.strptime(text, "%Y%m%d").replace(tzinfo=datetime.timezone.utc), True
        found = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        try:
            return DatetimeParser().parse(text, form), False
        except ValueError:
            return None, False
    return (found if found.tzinfo else found.replace(tzinfo=datetime.timezone.utc)), len(text) == 10


def without_now(text):
    """Returns a text in which times of today are equal, since the two clients run one after the other."""
    return DATE.sub(lambda found: "NOW" if (time_of(found[0], "%s")[0] or START) >= TODAY else found[0], text)


class Route:
    """The requests of one stream as the manifest describes them."""

    def __init__(self, stream, config, is_parent, wanted):
        self.config, self.name = config, stream.get("name") or ""
        retriever = stream["retriever"]
        requester, selector = retriever.get("requester") or {}, retriever.get("record_selector") or {}
        self.parameters = stream.get("$parameters") or {}
        self.paginator = retriever.get("paginator") or {}
        self.strategy = self.paginator.get("pagination_strategy") or {}
        self.decoder = (retriever.get("decoder") or {})
        address = "/".join(part.strip("/") for part in [urlsplit(str(requester.get("url_base") or requester.get("url") or "")).path, str(requester.get("path") or "")] if part.strip("/"))
        path, _, query = address.partition("?")
        parts = [self.known(part) for part in TEMPLATE.split(path)]
        parts = [urlsplit(part).path if part and "://" in part else part for part in parts]
        self.weight = sum(len(part) for part in parts if part is not None)
        joined = "".join(".*" if part is None else re.escape(part) for part in parts)
        self.pattern = re.compile(f"^/*{re.sub('(/|%2F)+', '/+', joined)}/*$")
        extractor = selector.get("extractor") or {}
        self.field_path = [self.known(step) or str(step) for step in extractor.get("field_path") or []]
        increments = stream.get("incremental_sync") or {}
        self.form = self.known((increments.get("cursor_datetime_formats") or [increments.get("datetime_format")])[0]) or "%Y-%m-%dT%H:%M:%SZ"
        self.request_form = self.known(increments.get("datetime_format")) or self.form
        self.cursor_field = self.known(increments.get("cursor_field")) if increments.get("type") == "DatetimeBasedCursor" else None
        self.is_feed = increments.get("is_data_feed") is True
        self.total = 3 if is_parent else 5
        self.fields = list(wanted)
        self.filter = (selector.get("record_filter") or {}).get("condition")
        for template in [self.filter, *(value for _, value in leaves([stream.get("transformations"), selector.get("transformations")]))]:
            self.fields += paths_in(template, "record")
        options = [requester.get("request_parameters"), requester.get("request_headers"), requester.get("request_body_json"), requester.get("request_body_data"), (requester.get("request_body") or {}).get("value")]
        given = [(path[-1:] if not isinstance(options[2], dict) else path, str(value)) for option in options if isinstance(option, dict) for path, value in leaves(option)]
        stated = [*given, *(((key,), value) for key, value in parse_qsl(query))]
        self.constants = [(path[-1], self.known(value)) for path, value in stated if path and self.known(value) is not None]
        self.tokens = [self.place(self.paginator.get("page_token_option")), *(path for path, value in given if "next_page_token" in value)]
        self.volatile = {*self.tokens, self.place(self.paginator.get("page_size_option"))} - {None}
        self.times = {}
        for which, option, word in [("start", "start_time_option", r"start_(time|date)|\bstart\b"), ("end", "end_time_option", r"end_(time|date)|now_utc|today|\bend\b")]:
            names = [increments.get(f"partition_field_{which}")]
            found = {self.place(increments.get(option))} - {None} | {path for path, value in given if "{" in value and (re.search(word, value) or names[0] and str(names[0]) in value)}
            self.times[which] = found
            self.volatile |= found

    def known(self, template):
        """Returns the text of a template that only reads the settings and parameters; None for others."""
        if template is None or not TEMPLATE.search(str(template)):
            return None if template is None else str(template)
        try:
            value = JinjaInterpolation().eval(str(template), config=self.config, parameters=self.parameters)
            return None if TEMPLATE.search(str(value)) else str(value)
        except Exception:
            return None

    def place(self, option):
        """Returns the path of the parameter that a request option fills."""
        if not isinstance(option, dict) or option.get("type") == "RequestPath":
            return None
        return tuple(str(self.known(step)) for step in option.get("field_path") or [option.get("field_name")])

    def size(self):
        """Returns the length of a page that is not the last one."""
        size = self.known(self.strategy.get("page_size"))
        return int(size) if size and size.isdigit() else 2

    def page_of(self, values, api):
        """Returns the index of the page that a request asks for, and the offset of its first record."""
        carried = lambda path: (value for one, value in values.items() if path and one[: len(path)] == path and value not in (None, "", {}, []))
        token = next((value for path in self.tokens for value in carried(path)), None)
        if ("_page",) in values:
            return int(values[("_page",)])
        kind = self.strategy.get("type")
        if token is None:
            return 0
        if kind == "OffsetIncrement":
            return -(-int(token) // self.size())
        if kind == "PageIncrement":
            return int(token) - int(self.known(self.strategy.get("start_from_page")) or 0)
        return api.tokens.get((self.name, str(token)), 0)

    def in_window(self, time, values):
        """Returns whether the times of a request let a record of that time through."""
        day = datetime.timedelta(days=1)
        for which, paths in self.times.items():
            for path in paths:
                text = str(values.get(path) or "")
                found = DATE.findall(text) or ([text] if text else [])
                both = path in self.times["start"] and path in self.times["end"]
                if not found or both and which == "end" and len(found) < 2:
                    continue
                limit, is_day = time_of(found[-1] if which == "end" else found[0], self.request_form)
                if limit and (time < limit if which == "start" else time >= (limit + day if is_day else limit + datetime.timedelta(seconds=1))):
                    return False
        return True

    def records(self, request):
        """Returns all records of a request, whatever its page."""
        made = []
        for index in range(self.total):
            back = index if self.is_feed else self.total - 1 - index
            time = NOW - datetime.timedelta(hours=20 * back + 2)
            if not self.in_window(time, request.values):
                continue
            record = {"fake": f"fake:{request.digest}:{request.window}:{index}", "id": f"{request.digest}{index}"}
            for path in self.fields:
                stamp = re.search(r"date|time|_at$|created|updated|modified|start", str(path[-1]))
                address = re.search(r"ur[il]$|href|link", str(path[-1]))
                key = f"k{request.digest[:4]}{index}"
                put(record, path, DatetimeParser().format(time, self.form) if stamp else f"https://api.example.com/{key}" if address else key)
            if self.cursor_field:
                put(record, self.cursor_field.split("."), self.written(time))
            made.append(self.chosen(record) if index % 2 == 0 else record)
        return made

    def chosen(self, record):
        """Returns a record that the stream's filter lets through, if the constants in the filter make one."""
        if not self.filter:
            return record
        paths = paths_in(self.filter, "record")
        constants = [node.value for node in _ENVIRONMENT.parse(self.filter).find_all(nodes.Const)]
        for values in itertools.product([ABSENT, *constants, True, False], repeat=min(len(paths), 3)):
            attempt = copy.deepcopy(record)
            for path, value in zip(paths, values):
                put(attempt, path, value)
            try:
                if JinjaInterpolation().eval(self.filter, self.config, record=attempt, parameters=self.parameters) in (True, "True"):
                    return attempt
            except Exception:
                continue
        return record

    def written(self, time):
        text = DatetimeParser().format(time.replace(microsecond=0), self.form)
        return (float if "float" in self.form else int)(text) if re.match("%(s|ms|s_as_float|epoch_microseconds)$", self.form) else text

    def answer(self, request, api):
        """Returns the headers and the document of a page."""
        records = self.records(request)
        page = self.page_of(request.values, api)
        if not self.strategy:
            return {}, self.document(records)
        if self.strategy.get("type") != "CursorPagination":
            size = self.size()
            return {}, self.document(records[page * size : (page + 1) * size] if self.tokens else records)
        for length in self.lengths(len(records)):
            solved = self.solve(records, page, length, request, api)
            if solved:
                return solved
        api.unsolved.add(self.name)
        return {}, self.document(records)

    def lengths(self, total):
        numbers = {int(text) for text in re.findall(r"\d+", str(self.strategy.get("stop_condition")))}
        return [2, *sorted(number for number in numbers if 2 < number <= 1000)]

    def solve(self, records, page, length, request, api):
        """Finds values for all that the manifest reads on a page, so that it goes on, or ends, where the records do."""
        cursor, stop = self.strategy.get("cursor_value"), self.strategy.get("stop_condition")
        if length > 2:
            copies = [record for _ in range(length // len(records) + 1 if records else 0) for record in records]
            records = [{**record, "fake": f"{record['fake'].rpartition(':')[0]}:{index}", "id": f"{record['id']}-{index}"} for index, record in enumerate(copies)]
        chunk, rest = records[page * length : (page + 1) * length], records[(page + 1) * length :]
        is_last = not rest
        variables = [(root, path) for root in ("response", "headers", "last_record") for path in dict.fromkeys([*paths_in(cursor, root), *paths_in(stop, root)])]
        variables = [one for one in variables if one != ("response", tuple(self.field_path)) and not (one[0] == "last_record" and one[1][-1] in ("id", self.cursor_field))]
        variables = [one for one in variables if not any(one != other and one[0] == other[0] and other[1][: len(one[1])] == one[1] for other in variables)][:4]
        field = (self.place(self.paginator.get("page_token_option")) or ("page",))[-1]
        address = re.sub(r"([?&])_page=\d+", r"\1", request.address).rstrip("?&")
        link = f"{address}{'&' if '?' in address else '?'}_page={page + 1}"
        token = [f"t{page + 1}", link, f"{address.partition('?')[0]}?{field}=t{page + 1}", f"{address.partition('?')[0]}?{field}={page + 1}", f"{address.partition('?')[0]}?{field}=t{page + 1}&_more=1", page + 1]
        flags = [True, False, ABSENT, page + 1, page + 2, *token]
        ends_with = [ABSENT, None, "", False, True, "null", "false", {}, 0, page + 1, *token]
        is_token = [one in [("response", path) for path in paths_in(cursor, "response")] or one[0] != "response" for one in variables]
        if re.search(r"\+\s*1\b", str(cursor)):
            token, ends_with = [page + 1, *token], [page + 1, *ends_with]
        choices = [ends_with if is_last else [*token, *flags[:3]] if is_from_cursor else flags for is_from_cursor in is_token]
        ends = [chunk, []] if is_last else [chunk]
        for part in ends:
            for values in itertools.product(*choices):
                document, headers, last = self.document(part), {}, dict(part[-1]) if part else None
                for (root, path), value in zip(variables, values):
                    if root == "headers" and str(path[0]).lower() == "link":
                        relation = path[1] if len(path) > 1 else "next"
                        if value == link and re.fullmatch(r"\w+", str(relation)):
                            headers["Link"] = f'<{link}>; rel="{relation}"'
                    elif root == "headers":
                        if isinstance(value, (str, int)) and value != "":
                            headers[str(path[0])] = str(value)
                    elif root == "last_record":
                        for record in part[-1:]:
                            put(record, path, value)
                        last = part[-1] if part else None
                    elif isinstance(document, dict):
                        put(document, path, value)
                found = self.next_token(cursor, stop, document, headers, last, len(part))
                if is_last and not found:
                    return headers, document
                if not is_last and found and self.leads_on(found, link):
                    for value in [found, *(found.values() if isinstance(found, dict) else [])]:
                        api.tokens[(self.name, str(value))] = page + 1
                    return headers, document
        return None

    def leads_on(self, found, link):
        if (self.paginator.get("page_token_option") or {}).get("type") == "RequestPath":
            return found == link
        return not isinstance(found, (bool, list))

    def next_token(self, cursor, stop, document, headers, last, size):
        links = {found[2]: {"url": found[1], "rel": found[2]} for found in re.finditer(r'<(.*?)>; rel="(.*?)"', headers.get("Link", ""))}
        known = {"response": document, "headers": {**headers, "link": links}, "last_record": last, "last_page_size": size, "parameters": self.parameters}
        try:
            parameters = known.pop("parameters")
            if stop and InterpolatedBoolean(condition=str(stop), parameters=parameters).eval(self.config, decoder=None, **known):
                return None
            found = JinjaInterpolation().eval(str(cursor), self.config, parameters=parameters, **known)
            return None if not found or TEMPLATE.search(str(found)) else found
        except Exception:
            return None

    def document(self, records):
        def nested(steps, records):
            if not steps:
                return records
            step, *rest = steps
            if step != "*":
                return {step: nested(rest, records)}
            if not rest:
                return records
            if "*" in rest:
                return [nested(rest, records[:1]), nested(rest, records[1:])]
            return [nested(rest, record) for record in records]

        # The CDK reads each element of a list that is the whole answer by itself, so that `*` needs an object there.
        if self.field_path[:1] == ["*"]:
            return {f"r{index}": nested(self.field_path[1:], record) for index, record in enumerate(records)}
        return nested(self.field_path, records)


class Request:
    def __init__(self, handler, body, base):
        parts = urlsplit(handler.path)
        self.path, self.address = unquote(parts.path), base + handler.path
        headers = {name.lower(): value for name, value in handler.headers.items()}
        try:
            content = json.loads(body) if body else {}
        except ValueError:
            content = dict(parse_qsl(body.decode()))
        self.query = parse_qsl(parts.query)
        self.values = {(name,): value for name, value in [*headers.items(), *self.query]}
        # Most APIs ignore the body of a GET, and spile sends none.
        content = {} if handler.command == "GET" else content
        self.content = list(leaves(content)) if isinstance(content, dict) else [((), content)]
        for path, value in self.content:
            self.values.setdefault(path, value)
            self.values.setdefault(path[-1:], value)
        self.headers = [(name, value) for name, value in headers.items() if name not in USUAL and not value.startswith("Bearer ey")]

    def sign(self, route):
        """Sets the digest of all that makes this request differ from others of its stream, besides paging and times."""
        is_kept = lambda path: path[-1:] not in route.volatile and all(path[:length] not in route.volatile for length in range(1, len(path) + 1))
        kept = [f"{name}={value}" for name, value in self.query if name[:1] != "_" and is_kept((name,))]
        sent = [f"{'.'.join(path)}:{json.dumps(value)}" for path, value in self.content if path and value not in (None, "", {}, []) and is_kept(path)]
        named = [f"{name}: {value}" for name, value in self.headers if not any(path[-1].lower() == name for path in route.volatile if path and path[-1])]
        self.text = without_now(" ".join([self.path.rstrip("/"), *sorted(kept), *sorted(sent), *sorted(named)]))
        self.digest = hashlib.sha1(f"{route.name} {self.text}".encode()).hexdigest()[:12]
        times = [str(self.values.get(path)) for which in route.times.values() for path in sorted(which)]
        self.window = hashlib.sha1(" ".join([self.path, *times]).encode()).hexdigest()[:6]


class FakeApi:
    def __init__(self):
        self.routes, self.login, self.logins, self.asked = [], {}, set(), 0
        self.tokens, self.requests, self.unsolved = {}, {}, set()
        api = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version, wbufsize = "HTTP/1.1", 1 << 16
            log_message = lambda *_: None

            def answer(self):
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                headers, content = api.answer(Request(self, body, api.url), self.command)
                self.send_response(200)
                for name, value in {"Content-Type": "application/json", **headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = answer

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, request, method):
        self.asked += 1
        if self.asked > 4000:
            raise ConnectionAbortedError("the requests do not end")
        if request.path in self.logins:
            return {}, json.dumps(self.login).encode()
        fitting = [route for route in self.routes if route.pattern.match(request.path)]
        if not fitting:
            return {}, json.dumps(self.login).encode()
        sent = {(path[-1], str(value)) for path, value in request.values.items() if path}
        route = max(fitting, key=lambda one: (one.weight, sum(1 if constant in sent else -1 for constant in one.constants)))
        request.sign(route)
        self.requests[request.digest] = f"{method} {request.text}"
        headers, document = route.answer(request, self)
        if "Jsonl" in json.dumps(route.decoder):
            content = "\n".join(json.dumps(record) for record in document).encode()
        else:
            content = json.dumps(document).encode()
        return headers, gzip.compress(content) if route.decoder.get("type") == "GzipDecoder" else content
