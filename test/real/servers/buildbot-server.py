import sys
from os import chdir
from os.path import dirname, exists, join
from subprocess import run

from dataset import folder, port, records

base = join(folder, "master")
if not exists(base):
    run([join(dirname(sys.executable), "buildbot"), "create-master", "--quiet", base], check=True)
with open(join(base, "master.cfg"), "w") as file:
    file.write(
        f"""
from buildbot.plugins import schedulers, util, worker
names = [f"tree-{{index}}" for index in range({records})]
BuildmasterConfig = dict(
    workers=[worker.Worker("one", "pass")],
    protocols=dict(pb=dict(port="tcp:0:interface=127.0.0.1")),
    schedulers=[schedulers.ForceScheduler(name="by-hand", builderNames=names)],
    builders=[util.BuilderConfig(name=name, workernames=["one"], factory=util.BuildFactory()) for name in names],
    buildbotURL="http://127.0.0.1:{port}/",
    www=dict(port="tcp:{port}:interface=127.0.0.1", plugins={{}}),
    db=dict(db_url="sqlite:///state.sqlite"),
    buildbotNetUsageData=None,
)
"""
    )
chdir(base)
from twisted.scripts import twistd  # noqa: E402

sys.argv = ["twistd", "--nodaemon", "--no_save", "--python=buildbot.tac"]
twistd.run()
