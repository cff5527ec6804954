from dataset import record_at, records, serve
from kinto import main

application = main(
    {},
    **{
        "kinto.storage_backend": "kinto.core.storage.memory",
        "kinto.permission_backend": "kinto.core.permission.memory",
        "kinto.cache_backend": "kinto.core.cache.memory",
        "multiauth.policies": "basicauth",
        "kinto.userid_hmac_secret": "of a test",
        "kinto.bucket_read_principals": "system.Everyone",
    },
)
storage = application.registry.storage
parent = "/buckets/forest/collections/trees"
storage.create("bucket", "", {"id": "forest"})
storage.create("collection", "/buckets/forest", {"id": "trees"})
for index in range(records):
    storage.create("record", parent, {"id": f"tree-{index:06}", **record_at(index)})
application.registry.permission.add_principal_to_ace("/buckets/forest", "read", "system.Everyone")
serve(application)
