import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../helpers/free-port.ts";
import { missingText, notFound } from "./installed.ts";
import type { Scheduler } from "./scheduler.ts";

const timeout = 8 * 60_000;

/** Airflow with its scheduler and API server, and a mapped task for each shard. */
export const airflow: Scheduler = {
  name: "Airflow",
  missing: () => missingText(notFound("airflow"), "pip install apache-airflow"),
  async run(site) {
    const home = join(site.folder, "airflow");
    await mkdir(join(home, "dags"), { recursive: true });
    await copyFile(site.script("airflow.py"), join(home, "dags/spile_shards.py"));
    const port = await freePort();
    const variables = {
      SPILE_FOLDER: site.folder,
      SPILE_SHARDS: `${site.shards}`,
      SPILE_RETRY_SECONDS: "1",
      AIRFLOW_HOME: home,
      AIRFLOW__CORE__LOAD_EXAMPLES: "False",
      AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION: "False",
      AIRFLOW__CORE__EXECUTOR: "LocalExecutor",
      AIRFLOW__CORE__PARALLELISM: "2",
      AIRFLOW__CORE__EXECUTION_API_SERVER_URL: `http://127.0.0.1:${port}/execution/`,
      AIRFLOW__API__HOST: "127.0.0.1",
      AIRFLOW__API__PORT: `${port}`,
      AIRFLOW__API__WORKERS: "1",
      AIRFLOW__LOGGING__WORKER_LOG_SERVER_PORT: `${await freePort()}`,
      AIRFLOW__LOGGING__TRIGGER_LOG_SERVER_PORT: `${await freePort()}`,
    };
    const killing = site.killWorkers(2);
    site.service(["airflow", "standalone"], variables);
    await until(async () => {
      const said = await site.command(["airflow", "dags", "trigger", "--run-id", "once", "spile_shards"], {
        variables,
        mayFail: true,
      });
      return /once/.test(said) && !/error|not found|exception/i.test(said) ? said : undefined;
    });
    const state = await until(async () => {
      const said = await site.command(["airflow", "dags", "list-runs", "spile_shards", "--output", "plain"], {
        variables,
        mayFail: true,
      });
      return /\b(success|failed)\b/.exec(said)?.[1];
    });
    if (state !== "success") throw new Error(`the DAG ended as ${state}`);
    return `${killing.stop()} workers killed, their tasks tried again by Airflow; LocalExecutor, ${site.shards} mapped tasks`;
  },
};

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + timeout;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error("Airflow did not start or end in time");
    await wait(1000);
  }
}
