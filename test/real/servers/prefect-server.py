import os
import threading
import time
from os.path import join

from dataset import folder, port, records

os.environ["PREFECT_HOME"] = folder
os.environ["PREFECT_API_DATABASE_CONNECTION_URL"] = f"sqlite+aiosqlite:///{join(folder, 'prefect.db')}"
os.environ["PREFECT_SERVER_API_DEFAULT_LIMIT"] = "100000"
os.environ["PREFECT_SERVER_ANALYTICS_ENABLED"] = "false"
os.environ["PREFECT_SERVER_UI_ENABLED"] = "false"
os.environ["PREFECT_SERVER_EPHEMERAL_ENABLED"] = "false"
os.environ["DO_NOT_TRACK"] = "1"

import httpx  # noqa: E402
import uvicorn  # noqa: E402
from prefect.server.api.server import create_app  # noqa: E402

app = create_app()


def fill():
    with httpx.Client(base_url=f"http://127.0.0.1:{port}/api", timeout=60) as client:
        while True:
            try:
                client.get("/health").raise_for_status()
                break
            except httpx.HTTPError:
                time.sleep(0.2)
        for index in range(records):
            client.post("/flows/", json={"name": f"tree-{index:06}"}).raise_for_status()
        # The last flow: the test waits until the API returns it.
        client.post("/flows/", json={"name": "ready"}).raise_for_status()


threading.Thread(target=fill, daemon=True).start()
uvicorn.run(app, host="127.0.0.1", port=port, log_level="error")
