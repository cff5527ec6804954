import { join } from "node:path";
import { missingText, notFound } from "./installed.ts";
import type { Scheduler } from "./scheduler.ts";

/** Spark with executors in separate processes (`local-cluster`), and a task for each shard. */
export const spark: Scheduler = {
  name: "Spark local-cluster",
  missing: () => missingText(notFound("spark-submit", "java"), "pip install pyspark, and a Java that it knows"),
  async run(site) {
    const killing = site.killWorkers(3);
    // The executors of a local cluster leave files, which go into a folder of their own.
    const variables = { SPARK_WORKER_DIR: join(site.folder, "spark"), SPARK_LOCAL_IP: "127.0.0.1" };
    const cluster = ["--master", "local-cluster[2,1,512]", "--conf", "spark.executor.memory=512m"];
    await site.command(["spark-submit", ...cluster, site.script("spark.py"), "config.json", `${site.shards}`], {
      variables,
    });
    return `${killing.stop()} workers killed, their tasks tried again by Spark; 2 executors`;
  },
};
