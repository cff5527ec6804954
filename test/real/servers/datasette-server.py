import sqlite3
from os.path import join

from dataset import folder, port, record_at, records
from datasette.cli import cli

path = join(folder, "forest.db")
with sqlite3.connect(path) as database:
    database.execute("create table if not exists trees (id integer primary key, name, number, price, active)")
    database.executemany(
        "insert or ignore into trees values (?, :name, :number, :price, :active)".replace("?", ":id"),
        [{"id": index, **record_at(index)} for index in range(records)],
    )
cli(["serve", path, "--port", f"{port}", "--setting", "max_returned_rows", "100000"])
