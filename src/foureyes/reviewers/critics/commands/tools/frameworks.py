"""Judge commands of web frameworks and migration tools that empty, drop or roll back their database."""

from __future__ import annotations

import re
from collections.abc import Iterator

from foureyes.reviewers.critics.commands.model import Call, Family, Found, each, rule
from foureyes.reviewers.critics.commands.options import options
from foureyes.reviewers.critics.commands.tools.generic import is_dry
from foureyes.reviewers.critics.commands.tools.packages import PUBLISH

FRAMEWORK = rule(
    "destructive.framework-database",
    "A framework empties, drops or rolls back its database",
    "Whichever database the settings name at that moment loses its data, and that may be the one people use.",
    "Name a database of its own for development, keep a dump, and let a person run it anywhere else.",
    "critical",
)

#: Per program: the words of commands that delete data.
_DEEDS: dict[str, tuple[str, ...]] = {
    "manage.py": ("flush", "reset_db", "sqlflush", "delete_all", "zap", "clear_cache_all"),
    "django-admin": ("flush", "reset_db"),
    "django": ("flush", "reset_db"),
    "rails": (
        "db:drop",
        "db:reset",
        "db:migrate:reset",
        "db:schema:load",
        "db:truncate_all",
        "db:purge",
        "db:setup",
        "db:structure:load",
        "db:seed:replant",
        "destroy",
        "db:rollback",
        "db:migrate:down",
    ),
    "rake": (
        "db:drop",
        "db:reset",
        "db:migrate:reset",
        "db:schema:load",
        "db:truncate_all",
        "db:purge",
        "db:drop:all",
        "db:rollback",
    ),
    "artisan": (
        "migrate:fresh",
        "migrate:reset",
        "migrate:refresh",
        "migrate:rollback",
        "db:wipe",
        "queue:flush",
        "queue:clear",
        "cache:clear-all",
        "model:prune",
        "telescope:clear",
    ),
    "sail": ("migrate:fresh", "migrate:reset", "migrate:refresh", "db:wipe"),
    "console": (
        "doctrine:database:drop",
        "doctrine:schema:drop",
        "doctrine:schema:update",
        "doctrine:mongodb:schema:drop",
        "doctrine:fixtures:load",
    ),
    "prisma": ("migrate reset", "db push --force-reset", "db push --accept-data-loss", "db execute"),
    "alembic": ("downgrade",),
    "flask": ("db downgrade", "drop-db", "drop_db"),
    "aerich": ("downgrade",),
    "sequelize": ("db:drop", "db:migrate:undo:all", "db:migrate:undo", "db:seed:undo:all"),
    "sequelize-cli": ("db:drop", "db:migrate:undo:all", "db:migrate:undo"),
    "knex": ("migrate:rollback", "migrate:down"),
    "typeorm": ("schema:drop", "migration:revert"),
    "mikro-orm": ("schema:drop", "migration:down", "migration:fresh", "schema:fresh"),
    "drizzle-kit": ("drop", "push --force"),
    "mix": ("ecto.drop", "ecto.reset", "ecto.rollback"),
    "flyway": ("clean", "undo"),
    "liquibase": ("dropall", "drop-all", "rollback", "rollbackcount", "rollback-count", "rollbacktodate"),
    "migrate": ("drop", "down", "force"),
    "goose": ("down", "reset", "down-to"),
    "dbmate": ("drop", "down", "rollback"),
    "sqlx": ("database drop", "database reset", "migrate revert"),
    "diesel": ("database reset", "database drop", "migration revert"),
    "wp": (
        "db reset",
        "db drop",
        "db clean",
        "site empty",
        "site delete",
        "user delete",
        "plugin delete",
        "post delete",
        "option delete",
    ),
    "drush": ("sql-drop", "sql:drop", "site-install", "si", "entity:delete"),
    "supabase": ("db reset",),
    "hasura": ("migrate delete", "metadata clear"),
    "ef": ("database drop",),
    "dotnet": ("ef database drop", "nuget delete", "nuget push"),
    "lb3": ("drop",),
    "bin/console": ("doctrine:database:drop",),
    "bundle": (),
    "ace": ("migration:fresh", "migration:reset", "migration:refresh", "db:wipe", "migration:rollback"),
    "spark": ("migrate:refresh", "migrate:rollback"),
    "piccolo": ("tables drop",),
    "edgedb": ("database drop", "instance destroy"),
    "atlas": ("schema clean",),
    "phinx": ("rollback",),
    "odoo": ("db drop",),
    "bench": ("drop-site", "reinstall"),
    "redis-flush": (),
    "nx": ("reset-db",),
    "convex": ("import --replace",),
    "dbt": ("run --full-refresh", "build --full-refresh", "seed --full-refresh"),
    "airflow": ("db reset", "db clean", "dags delete"),
    "superset": ("db downgrade",),
    "encore": ("db reset",),
}


def _judge(call: Call) -> Iterator[Found]:
    if is_dry(call) or "--pretend" in call.args:
        return
    name = call.name
    words = [
        word.lower()
        for word in options(call.args, "c", ("settings", "config", "database", "env", "path", "dir", "url")).operands
    ]
    flags = {word.partition("=")[0] for word in call.args if word.startswith("-")}
    for deed in _DEEDS[name]:
        parts = deed.split()
        plain = [part for part in parts if not part.startswith("-")]
        needed = {part for part in parts if part.startswith("-")}
        if _follows(words, plain) and needed <= flags:
            yield Found(rule=FRAMEWORK)
            return
    if name in ("manage.py", "django", "rails"):
        yield from _runner(call)
    if name in ("manage.py", "django") and words[:1] == ["migrate"] and words[-1:] == ["zero"]:
        yield Found(rule=FRAMEWORK)


def _follows(words: list[str], plain: list[str]) -> bool:
    """True if the words occur in sequence and begin among the first four."""
    return any(words[at : at + len(plain)] == plain for at in range(min(len(words), 4)))


#: Deletions through an object-relational mapper, in code given on the command line.
_MAPPER = re.compile(r"\.(?:destroy(?:_all)?|delete_all|truncate)\b|\.delete\(\s*\)")


def _runner(call: Call) -> Iterator[Found]:
    """Judge `rails runner CODE` and `manage.py shell -c CODE`: code that uses the framework's models."""
    words = [word for word in call.args if not word.startswith("-")]
    runs = words[:1] in (["runner"], ["r"], ["shell"], ["shell_plus"])
    if runs and any(_MAPPER.search(word) for word in words[1:]):
        yield Found(rule=FRAMEWORK)


def _gradle(call: Call) -> Iterator[Found]:
    goals = {word.lower().rpartition(":")[2] for word in call.args if not word.startswith("-")}
    if goals & {"deploy", "publish", "publishtomavencentral", "uploadarchives", "perform"} and not is_dry(call):
        yield Found(rule=PUBLISH)
    if any(re.search(r"flyway:?clean|liquibase:?drop-?all", word, re.IGNORECASE) for word in call.args):
        yield Found(rule=FRAMEWORK)


FAMILY = Family(
    rules=(FRAMEWORK,),
    tools={
        **{name: _judge for name, deeds in _DEEDS.items() if deeds},
        **each("mvn mvnw gradle gradlew", _gradle),
        "gitlab-rails": _runner,
    },
)
