import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../helpers/free-port.ts";
import { missingText, notFound } from "./installed.ts";
import type { Scheduler, Site } from "./scheduler.ts";

const nodes = 3;

/** Slurm: a controller and several nodes on this host, and an array job whose tasks are requeued after exit 75. */
export const slurm: Scheduler = {
  name: "Slurm",
  missing: () =>
    missingText(
      notFound("sbatch", "/usr/sbin/slurmctld", "/usr/sbin/slurmd", "/usr/sbin/munged"),
      "apt-get install slurm-wlm munge",
    ),
  async run(site) {
    const variables = await startSlurm(site);
    await site.command(["spile", "shard", "plan", "config.json", "--count", `${site.shards}`, "-o", "plan.json"]);
    const killing = site.killWorkers(2);
    const submitted = site.command(["sbatch", "--wait", `--array=0-${site.shards - 1}`, site.script("slurm.sh")], {
      variables,
      mayFail: true,
    });
    const requeued = await requeueOne(site, variables);
    const output = await submitted;
    const killed = killing.stop();
    const restarts = await site.command(["sh", "-c", "cat slurm-*.log; ls parts"], { variables });
    await site.command(["spile", "shard", "merge", "plan.json", "parts"], { to: "all.ndjson" }).catch((error) => {
      throw new Error(`${output}\n${restarts.slice(-1500)}\n${error}`);
    });
    return `${killed} workers killed, their tasks requeued by RequeueExit=75; ${requeued} requeued while it ran (scontrol requeue); ${nodes} slurmd`;
  },
};

/** Makes the scheduler stop a running task and start it again. Returns 1, or 0 if no task could be stopped. */
async function requeueOne(site: Site, variables: Readonly<Record<string, string>>): Promise<number> {
  for (let tries = 0; tries < 200; tries += 1) {
    const running = await site.command(["squeue", "--noheader", "--array", "--states=R", "--format=%F_%K"], {
      variables,
    });
    const [task] = running.trim().split("\n");
    if (task !== undefined && task !== "") {
      const output = await site.command(["scontrol", "requeue", task], { variables, mayFail: true });
      if (output.trim() === "") return 1;
    }
    await wait(100);
  }
  return 0;
}

async function startSlurm(site: Site): Promise<Readonly<Record<string, string>>> {
  const at = (name: string): string => join(site.folder, "slurm", name);
  await mkdir(at("state"), { recursive: true });
  const ports = await Promise.all(Array.from({ length: nodes + 1 }, freePort));
  const [control, ...others] = ports;
  const host = hostname().split(".")[0] ?? "localhost";
  const socket = at("munge.socket");
  await writeFile(at("munge.key"), Buffer.alloc(128, 7), { mode: 0o400 });
  const settings = {
    ClusterName: "here",
    SlurmctldHost: `${host}(127.0.0.1)`,
    SlurmUser: "root",
    SlurmctldPort: control,
    AuthType: "auth/munge",
    // After a requeue, a task waits as long as a credential is valid.
    AuthInfo: `socket=${socket},cred_expire=5`,
    StateSaveLocation: at("state"),
    SlurmdSpoolDir: at("spool.%n"),
    SlurmctldPidFile: at("slurmctld.pid"),
    SlurmdPidFile: at("slurmd.%n.pid"),
    ProctrackType: "proctrack/pgid",
    TaskPlugin: "task/none",
    SwitchType: "switch/none",
    MpiDefault: "none",
    SelectType: "select/cons_tres",
    SelectTypeParameters: "CR_Core",
    ReturnToService: 2,
    RequeueExit: 75,
    SchedulerParameters: "sched_interval=1,bf_interval=1",
    MinJobAge: 300,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  const rows = others.map(
    (port, index) => `NodeName=n${index} NodeHostname=${host} NodeAddr=127.0.0.1 Port=${port} CPUs=1 State=UNKNOWN\n`,
  );
  const partition = "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n";
  await writeFile(at("slurm.conf"), [...lines, ...rows, partition].join(""));
  const cgroups = existsSync("/sys/fs/cgroup/cgroup.controllers") ? "autodetect" : "cgroup/v1";
  await writeFile(at("cgroup.conf"), `CgroupPlugin=${cgroups}\n`);
  const variables = { SLURM_CONF: at("slurm.conf") };
  const keys = [`--key-file=${at("munge.key")}`, `--pid-file=${at("munged.pid")}`, `--seed-file=${at("seed")}`];
  site.service([
    "/usr/sbin/munged",
    "--foreground",
    "--force",
    `--socket=${socket}`,
    `--log-file=${at("munged.log")}`,
    ...keys,
  ]);
  await wait(500);
  site.service(["/usr/sbin/slurmctld", "-D", "-L", at("slurmctld.log")], variables);
  for (let index = 0; index < nodes; index += 1) {
    site.service(["/usr/sbin/slurmd", "-D", "-N", `n${index}`, "-L", at(`slurmd.n${index}.log`)], variables);
  }
  for (let tries = 0; ; tries += 1) {
    const idle = await site.command(["sinfo", "--noheader", "--Node", "--format=%T"], { variables, mayFail: true });
    if (idle.split("\n").filter((state) => state === "idle").length === nodes) return variables;
    if (tries === 100) throw new Error(`Slurm did not start: ${idle}`);
    await wait(200);
  }
}
