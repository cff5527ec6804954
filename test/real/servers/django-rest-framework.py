from os.path import join

import django
from dataset import folder, record_at, records, serve
from django.conf import settings

settings.configure(
    SECRET_KEY="of a test",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": join(folder, "database")}},
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "rest_framework"],
    REST_FRAMEWORK={"DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"]},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
)
django.setup()

from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.urls import include, path  # noqa: E402
from rest_framework import pagination, routers, serializers, viewsets  # noqa: E402


class Tree(models.Model):
    name = models.TextField()
    number = models.IntegerField()
    price = models.FloatField()
    active = models.BooleanField()

    class Meta:
        app_label = "forest"


class TreeSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tree
        fields = "__all__"


def view(pages, **fields):
    paging = pages and type("Paging", (pages,), {"page_size": 50, "default_limit": 50, "ordering": "id", **fields})
    return type(
        "Trees",
        (viewsets.ModelViewSet,),
        {"queryset": Tree.objects.order_by("id"), "serializer_class": TreeSerializer, "pagination_class": paging},
    )


router = routers.SimpleRouter()
router.register("numbers", view(pagination.PageNumberPagination, page_size_query_param="page_size"), "numbers")
router.register("offsets", view(pagination.LimitOffsetPagination), "offsets")
router.register("cursors", view(pagination.CursorPagination), "cursors")
router.register("all", view(None), "all")
urlpatterns = [path("", include(router.urls))]

with connection.schema_editor() as editor:
    if Tree._meta.db_table not in connection.introspection.table_names():
        editor.create_model(Tree)
if Tree.objects.count() == 0:
    Tree.objects.bulk_create([Tree(id=index + 1, **record_at(index)) for index in range(records)])
serve(get_wsgi_application())
