import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../helpers/free-port.ts";
import { missingText, notFound } from "./installed.ts";
import type { Scheduler, Site } from "./scheduler.ts";

/** GNU parallel, with workers started over ssh on this host. */
export const parallel: Scheduler = {
  name: "GNU parallel over ssh",
  missing: () =>
    missingText(notFound("parallel", "ssh", "ssh-keygen", "/usr/sbin/sshd"), "apt-get install parallel openssh-server"),
  async run(site) {
    const ssh = await startSsh(site);
    const words = ["sh", site.script("parallel.sh"), "config.json", `${site.shards}`];
    const variables = { SSHLOGIN: login, PARALLEL_SSH: ssh, JOBS: "2", RUN: "run" };
    const killing = site.killWorkers(3);
    await site.command(words, { variables, to: "all.ndjson" });
    const killed = killing.stop();
    // It runs a second time, after the manifests of two shards were removed, and the log was changed to say that both failed.
    for (const index of [0, 3]) await site.command(["rm", join("run/parts", `${index}.json`)]);
    await site.command(["rm", "run/done"]);
    const log = join(site.folder, "run/shards.log");
    const rows = (await readFile(log, "utf8")).split("\n");
    const failed = rows.map((row) => {
      const columns = row.split("\t");
      return ["1", "4"].includes(columns[0] ?? "") ? columns.with(6, "75").join("\t") : row;
    });
    await writeFile(log, failed.join("\n"));
    await site.command(words, { variables, to: "all.ndjson" });
    const again = (await readFile(log, "utf8")).trim().split("\n").length - rows.filter((row) => row !== "").length;
    return `${killed} workers killed and tried again (--retries); ${again} shards run again (--resume-failed)`;
  },
};

const login = `${userInfo().username}@127.0.0.1`;

/** Starts an ssh server on a free port of the loopback interface, with keys of its own. Returns the command that connects to it. */
async function startSsh(site: Site): Promise<string> {
  const at = (name: string): string => join(site.folder, "ssh", name);
  await mkdir(at(""), { recursive: true });
  await mkdir("/run/sshd", { recursive: true });
  for (const key of ["host", "own"]) await site.command(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", at(key)]);
  await writeFile(at("authorized"), await readFile(at("own.pub")), { mode: 0o600 });
  const port = await freePort();
  const settings = {
    Port: port,
    ListenAddress: "127.0.0.1",
    HostKey: at("host"),
    AuthorizedKeysFile: at("authorized"),
    StrictModes: "no",
    PasswordAuthentication: "no",
    UsePAM: "no",
    PermitRootLogin: "yes",
    PidFile: at("pid"),
    MaxStartups: 100,
    SetEnv: `PATH=${site.variables.PATH}`,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`);
  await writeFile(at("sshd_config"), lines.join(""));
  site.service(["/usr/sbin/sshd", "-D", "-f", at("sshd_config")]);
  const ssh = join(site.folder, "bin/ssh-here");
  const options = `-p ${port} -i ${at("own")} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR`;
  await writeFile(ssh, `#!/bin/sh\nexec ssh ${options} "$@"\n`);
  await chmod(ssh, 0o755);
  for (let tries = 0; ; tries += 1) {
    try {
      await site.command([ssh, login, "spile", "--version"]);
      return ssh;
    } catch (error) {
      if (tries === 20) throw error;
      await wait(250);
    }
  }
}
