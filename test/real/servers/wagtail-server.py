from os.path import join

import django
from dataset import folder, record_at, records, serve
from django.conf import settings

settings.configure(
    SECRET_KEY="of a test",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": join(folder, "database")}},
    INSTALLED_APPS=[
        *(f"django.contrib.{name}" for name in ("contenttypes", "auth", "sessions")),
        *("taggit", "modelcluster", "rest_framework"),
        *(f"wagtail.{name}" for name in ("api.v2", "admin", "images", "documents", "search", "users", "sites")),
        "wagtail",
    ],
    WAGTAILAPI_LIMIT_MAX=100_000,
    WAGTAILADMIN_BASE_URL="http://127.0.0.1",
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    STATIC_URL="/static/",
    TIME_ZONE="UTC",
    USE_TZ=True,
)
django.setup()

from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import path  # noqa: E402
from wagtail.api.v2.router import WagtailAPIRouter  # noqa: E402
from wagtail.api.v2.views import PagesAPIViewSet  # noqa: E402
from wagtail.models import Page, Site  # noqa: E402

router = WagtailAPIRouter("api")
router.register_endpoint("pages", PagesAPIViewSet)
urlpatterns = [path("api/", router.urls)]

call_command("migrate", verbosity=0)
root = Site.objects.get(is_default_site=True).root_page
for index in range(root.get_children_count(), records):
    root = Page.objects.get(pk=root.pk)
    root.add_child(instance=Page(title=record_at(index)["name"], slug=f"tree-{index}"))
serve(get_wsgi_application())
