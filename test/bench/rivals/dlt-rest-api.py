"""dlt's rest_api source, its records as JSON lines in a folder: dlt-rest-api.py BASE PAGES LIMIT FOLDER"""

import sys

import dlt
from dlt.sources.rest_api import rest_api_source

base, pages, limit, folder = sys.argv[1:5]
source = rest_api_source(
    {
        "client": {
            "base_url": base,
            "paginator": {"type": "offset", "limit": int(limit), "total_path": None},
        },
        "resources": [
            {
                "name": "items",
                # Nested values stay in their record.
                "max_table_nesting": 0,
                "endpoint": {"path": "pages", "params": {"count": pages}, "data_selector": "data.items"},
            }
        ],
    }
)
pipeline = dlt.pipeline(
    "bench",
    destination=dlt.destinations.filesystem(f"file://{folder}/out"),
    dataset_name="bench",
    pipelines_dir=f"{folder}/work",
)
pipeline.run(source, loader_file_format="jsonl")
