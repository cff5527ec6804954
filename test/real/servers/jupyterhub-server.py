from os.path import join

from dataset import folder, port, records
from jupyterhub.app import main

path = join(folder, "jupyterhub_config.py")
with open(path, "w") as file:
    file.write(
        f"""
from jupyterhub.proxy import Proxy

class NoProxy(Proxy):
    should_start = False
    async def add_route(self, routespec, target, data):
        pass
    async def delete_route(self, routespec):
        pass
    async def get_all_routes(self):
        return {{}}

c.JupyterHub.proxy_class = NoProxy
c.JupyterHub.authenticator_class = "dummy"
c.JupyterHub.hub_port = {port}
c.JupyterHub.db_url = "sqlite:///{join(folder, 'hub.sqlite')}"
c.JupyterHub.cookie_secret_file = "{join(folder, 'cookie_secret')}"
c.JupyterHub.api_page_default_limit = 50
c.JupyterHub.api_page_max_limit = 100000
c.JupyterHub.services = [dict(name="spile", api_token="a-token-of-this-test-alone")]
c.JupyterHub.load_roles = [dict(name="spile", scopes=["admin:users", "list:users"], services=["spile"])]
c.JupyterHub.log_level = "ERROR"
c.Authenticator.allowed_users = {{f"user-{{index:06}}" for index in range({records})}}
"""
    )
main(["-f", path])
