import json
import os
from os.path import join

from dataset import folder, port, record_at, records, serve

features = [
    {
        "type": "Feature",
        "id": index,
        "geometry": {"type": "Point", "coordinates": [index % 180, index % 90]},
        "properties": {"number": index, "name": record_at(index)["name"]},
    }
    for index in range(records)
]
data, configuration, description = (join(folder, name) for name in ("trees.geojson", "config.yml", "openapi.yml"))
with open(data, "w") as file:
    json.dump({"type": "FeatureCollection", "features": features}, file)
text = {"en": "trees"}
with open(configuration, "w") as file:
    json.dump(
        {
            "server": {
                "bind": {"host": "127.0.0.1", "port": port},
                "url": f"http://127.0.0.1:{port}",
                "mimetype": "application/json; charset=UTF-8",
                "encoding": "utf-8",
                "languages": ["en"],
                "limits": {"default_items": 50, "max_items": 100000},
                "map": {"url": "", "attribution": ""},
            },
            "logging": {"level": "ERROR"},
            "metadata": {
                "identification": {"title": text, "description": text, "keywords": {"en": ["trees"]}, "terms_of_service": "none", "url": "http://x"},
                "license": {"name": "none", "url": "http://x"},
                "provider": {"name": "none"},
                "contact": {"name": "none"},
            },
            "resources": {
                "trees": {
                    "type": "collection",
                    "title": text,
                    "description": text,
                    "keywords": {"en": ["trees"]},
                    "extents": {"spatial": {"bbox": [-180, -90, 180, 90]}},
                    "providers": [{"type": "feature", "name": "GeoJSON", "data": data, "id_field": "id"}],
                }
            },
        },
        file,
    )
os.environ["PYGEOAPI_CONFIG"] = configuration
os.environ["PYGEOAPI_OPENAPI"] = description

from pathlib import Path  # noqa: E402

from pygeoapi.openapi import generate_openapi_document  # noqa: E402

with open(description, "w") as file:
    file.write(generate_openapi_document(Path(configuration), "yaml"))

from pygeoapi.flask_app import APP  # noqa: E402

serve(APP)
