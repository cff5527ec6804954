"""Serves a fake API for an Airbyte manifest and reads it with Airbyte's CDK.

It prints its port. Its argument is the seconds that a manifest may take. Each connection gets a process of its own, since the CDK takes seconds to load, and speaks JSON, a line each way:

{"manifest": FILE} -> {"manifest": the manifest with addresses on loopback}
{"streams": names that are compared, "settings": names that spile reads} -> {"settings": name to value}
{} -> {"records": {stream: texts that identify its records}, "error", "requests": {digest: request}, "unsolved": streams}
"""

import copy
import json
import logging
import os
import re
import signal
import socketserver
import sys
import threading
from urllib.parse import urlsplit

import yaml
from airbyte_cdk.models import AirbyteStream, ConfiguredAirbyteCatalog, ConfiguredAirbyteStream, DestinationSyncMode, SyncMode
from airbyte_cdk.sources.declarative.concurrent_declarative_source import ConcurrentDeclarativeSource
from airbyte_cdk.sources.declarative.datetime.datetime_parser import DatetimeParser
from airbyte_cdk.sources.declarative.parsers.manifest_component_transformer import ManifestComponentTransformer
from airbyte_cdk.sources.declarative.parsers.manifest_reference_resolver import ManifestReferenceResolver

from fake_api import NOW, START, FakeApi, Route

ADDRESSES = ("url_base", "url", "path", "token_refresh_endpoint", "api_url", "login_url")
PATIENCE = int(sys.argv[1])
SETTING = re.compile(r"""^\s*\{\{\s*config(?:\.(\w+)|\[\s*['"](\w+)['"]\s*\])\s*\}\}""")


def on_loopback(value, url, given, key=None):
    """Returns a manifest with the addresses of the fake API, small pages and no budget. `given` receives settings that are addresses."""
    if isinstance(value, dict):
        if needs_python(value.get("schema_loader")):
            value = {**value, "schema_loader": {"type": "InlineSchemaLoader", "schema": {}}}
        if re.search("Increment$|^CursorPagination$", str(value.get("type"))) and value.get("page_size") is not None:
            value = {**value, "page_size": 2}
        return {name: inner if name in ("schemas", "schema", "spec") else on_loopback(inner, url, given, name) for name, inner in value.items() if name not in ("api_budget", "state_migrations")}
    if isinstance(value, list):
        return [on_loopback(inner, url, given, key) for inner in value]
    if not isinstance(value, str) or key not in ADDRESSES or value.startswith("#/") or key == "login_url" and "://" not in value:
        return value
    if key == "path":
        return re.sub(r"^https?://[^/]*", url, value)
    setting = SETTING.match(value)
    if setting:
        given[setting[1] or setting[2]] = f"{url}/" if key == "api_url" or value[setting.end() :][:1] not in ("/", "") else url
        return value
    return url + re.sub(r"^\s*(?:https?://)?(?:\{\{.*?\}\}|[^/{?])*", "", value.strip('"'), flags=re.S)


def needs_python(component):
    return isinstance(component, dict) and re.match("Custom|Dynamic", str(component.get("type"))) is not None


def components(value, kind):
    """Yields the components of a type, those within others too."""
    if isinstance(value, dict):
        if kind(value):
            yield value
        for key, inner in value.items():
            if key not in ("schema_loader", "schemas", "spec", "definitions"):
                yield from components(inner, kind)
    elif isinstance(value, list):
        for inner in value:
            yield from components(inner, kind)


def value_of(name, schema):
    """Returns a value for a setting. It depends on the last part of its name only."""
    if "const" in schema or "default" in schema:
        return schema.get("const", schema.get("default"))
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type")
    kind = next((one for one in kind if one != "null"), "string") if isinstance(kind, list) else kind
    if kind in ("integer", "number"):
        return 1
    if kind == "boolean":
        return False
    if kind == "array":
        choices = (schema.get("items") or {}).get("enum")
        return choices[:2] if choices else ["a", "b"]
    pattern, examples = schema.get("pattern") or "", schema.get("examples") or [""]
    if "date" in str(schema.get("format")) or re.search(r"date|start|since|end_|\bfrom\b", name) or r"\d{4}-" in pattern or "[0-9]{4}-" in pattern:
        only_date = schema.get("format") == "date" or pattern.endswith(("{2}$", "[0-9]{2}")) or re.fullmatch(r"\d{4}-\d\d-\d\d", str(examples[0] if isinstance(examples, list) else examples))
        return (NOW if re.search(r"\bend|_end|until|_to\b", name) else START).strftime("%Y-%m-%d" if only_date else "%Y-%m-%dT%H:%M:%SZ")
    return f"x{re.sub('[^a-z0-9]', '', name.lower())}"


def settings_of(schema, wanted, values, above=()):
    """Returns a connector's settings: the required ones, those with a default, and those that are wanted."""
    made = {}
    for name, one in (schema.get("properties") or {}).items():
        alternatives = one.get("oneOf") or one.get("anyOf")
        is_wanted = bool({name.lower(), "_".join([*above, name]).lower()} & wanted)
        if alternatives:
            plain = [each for each in alternatives if "refresh_token" not in (each.get("properties") or {})]
            one = {**one, **(plain or alternatives)[0]}
        if one.get("properties"):
            inner = settings_of(one, wanted, values, (*above, name))
            if inner:
                made[name] = inner
        elif (one.get("items") or {}).get("properties"):
            made[name] = [settings_of(one["items"], wanted, values, (*above, name))]
        elif name in schema.get("required", []) or "const" in one or "default" in one or is_wanted:
            made[name] = values.setdefault(name.lower(), value_of(name, one))
            values["_".join([*above, name]).lower()] = made[name]
    return made


def compare(ask, tell):
    """Answers the questions of one connection."""
    api, given = FakeApi(), {}
    threading.Thread(target=api.server.serve_forever, daemon=True).start()
    with open(ask()["manifest"], encoding="utf-8") as file:
        manifest = on_loopback(yaml.safe_load(file), api.url, given)
    for name, schema in ((manifest.get("spec") or {}).get("connection_specification") or {}).get("properties", {}).items():
        if name in given and "default" in schema:
            schema["default"] = given[name]
    tell({"manifest": json.dumps(manifest, default=str)})
    manifest = json.loads(json.dumps(manifest, default=str))

    asked = ask()
    resolved = ManifestReferenceResolver().preprocess_manifest(copy.deepcopy(manifest))
    resolved = ManifestComponentTransformer().propagate_types_and_parameters("", resolved, {})
    is_stream = lambda one: isinstance(one.get("retriever"), dict) and one.get("type", "DeclarativeStream") == "DeclarativeStream"
    streams = list(components(resolved.get("streams", []), is_stream))
    values = {name.lower(): value for name, value in given.items()}
    for stream in streams:
        increments = stream.get("incremental_sync") or {}
        for edge, time in (("start_datetime", START), ("end_datetime", NOW)):
            given = increments.get(edge)
            given = given if isinstance(given, dict) else {"datetime": given}
            setting = re.search(r"""config(?:\.|\[['"]|\.get\(['"])(\w+)""", str(given.get("datetime")))
            form = given.get("datetime_format") or increments.get("datetime_format") or "{"
            if setting and setting[1] != "get" and "{" not in form:
                values.setdefault(setting[1].lower(), DatetimeParser().format(time, form))
    specification = (manifest.get("spec") or {}).get("connection_specification") or {}
    config = settings_of(specification, {name.lower() for name in asked["settings"]}, values)
    for name in asked["settings"]:
        if name.lower() not in values:
            config[name] = values[name.lower()] = value_of(name, {})

    parents = [one for stream in streams for one in components(stream["retriever"].get("partition_router") or {}, lambda one: "parent_key" in one)]
    for stream in streams:
        own = [one for one in parents if (one.get("stream") or {}).get("name") == stream.get("name")]
        keys = [re.split(r"[/.]", str(one["parent_key"])) for one in own] + [path for one in own for path in one.get("extra_fields") or []]
        api.routes.append(Route(stream, config, bool(own), [[str(step) for step in path] for path in keys if "{{" not in str(path)]))
    api.login = {name: "token" for name in ("access_token", "token")} | {"expires_in": 3600}
    for one in components(resolved.get("streams", []), lambda one: "token_refresh_endpoint" in one):
        api.logins.add(urlsplit(str(one["token_refresh_endpoint"])).path)
    for one in components(resolved.get("streams", []), lambda one: "session_token_path" in one or "access_token_name" in one or "session_token_response_key" in one):
        path = one.get("session_token_path") or [one.get("access_token_name") or one.get("session_token_response_key")]
        document = api.login
        for step in path[:-1]:
            document = document.setdefault(step, {})
        document[path[-1]] = "token"
        api.login.setdefault(one.get("expires_in_name") or "expires_in", 3600)

    # spile starts when it has the settings, so the API is complete before.
    tell({"settings": values})
    ask()
    records, error = {name: [] for name in asked["streams"]}, ""
    chosen = [one for one in resolved.get("streams", []) if one.get("name") in records or one.get("type") == "ConditionalStreams"]
    catalog = ConfiguredAirbyteCatalog(
        streams=[
            ConfiguredAirbyteStream(
                stream=AirbyteStream(name=name, json_schema={}, supported_sync_modes=[SyncMode.full_refresh]),
                sync_mode=SyncMode.full_refresh,
                destination_sync_mode=DestinationSyncMode.overwrite,
            )
            for name in records
        ]
    )
    try:
        definition = {**resolved, "streams": chosen, "check": {"type": "CheckStream", "stream_names": list(records)[:1]}}
        definition.pop("dynamic_streams", None)
        source = ConcurrentDeclarativeSource(catalog=catalog, config=config, state=[], source_config=definition)
        for message in source.read(logging.getLogger("none"), config, catalog, []):
            if message.record:
                found = re.search(r"fake:[\w:.]+", json.dumps(message.record.data, default=str))
                records[message.record.stream].append(found[0] if found else "")
    except BaseException as failure:
        error = f"{type(failure).__name__}: {failure}"
    tell({"records": records, "error": error[:2000], "requests": api.requests, "unsolved": sorted(api.unsolved)})


class Connection(socketserver.StreamRequestHandler):
    def handle(self):
        signal.alarm(PATIENCE)
        compare(lambda: json.loads(self.rfile.readline() or os._exit(0)), lambda answer: self.wfile.write(f"{json.dumps(answer, default=str)}\n".encode()))


logging.disable(logging.CRITICAL)
with socketserver.ForkingTCPServer(("127.0.0.1", 0), Connection) as server:
    print(server.server_address[1], flush=True)
    server.serve_forever()
