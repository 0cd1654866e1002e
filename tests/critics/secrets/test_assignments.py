"""An assignment of a literal secret is told from names, references, placeholders and words."""

import random

import pytest

from foureyes.reviewers.critics.secrets.find import find, spans
from foureyes.reviewers.critics.secrets.found import SURE
from foureyes.reviewers.critics.secrets.names import Sort, sort_of
from foureyes.reviewers.critics.secrets.wording import is_gibberish
from tests.critics.secrets.planted import HEX, drawn

CHANCE = random.Random(7)
WORD = "kz" + "wqhvtx"
MIXED = "hQ7" + "tz!Lw2"
LONG = drawn(CHANCE, 40)
PASS = "pass" + "word"
UUID = "0b0a5f5e-7c5e-4c55-9d5e-3d5f0f0a7b11"
GROUPED = "0b0a5fse-7c5e-4k55-9d5e-" + "3dzf0f0a7b11"


@pytest.mark.parametrize(
    ("path", "line", "value"),
    [
        ("a.py", f'{PASS} = "{MIXED}"', MIXED),
        ("a.py", f"db_{PASS}: str = '{MIXED}'", MIXED),
        ("a.py", f"connect(user='x', {PASS}='{WORD}')", WORD),
        ("a.py", f"cfg['{PASS}'] = '{WORD}'", WORD),
        ("a.py", f"assert cfg['{PASS}'] == '{WORD}'", WORD),
        ("a.js", f'const apiKey: string = "{LONG}";', LONG),
        ("a.js", f"headers: {{ 'x-api-key': '{LONG}' }}", LONG),
        ("a.go", f'clientSecret := "{LONG}"', LONG),
        ("A.java", f'props.setProperty("db.{PASS}", "{MIXED}");', MIXED),
        ("a.php", f"'{PASS}' => '{MIXED}',", MIXED),
        ("a.c", f'char {PASS}[] = "{MIXED}";', MIXED),
        ("a.yml", f"  {PASS}: {MIXED}", MIXED),
        ("docker-compose.yml", f"      - MYSQL_ROOT_{PASS.upper()}={WORD}", WORD),
        (".env", f"SECRET_KEY={LONG}", LONG),
        ("a.properties", f"spring.datasource.{PASS}={MIXED}", MIXED),
        ("a.ini", f"{PASS} = {WORD}  ; comment", WORD),
        ("a.xml", f"<{PASS}>{MIXED}</{PASS}>", MIXED),
        ("a.xml", f'<add key="{PASS}" value="{MIXED}"/>', MIXED),
        ("pod.yml", f"- name: DB_{PASS.upper()}\n  value: {WORD}", WORD),
        ("pod.json", f'{{"name": "DB_{PASS.upper()}", "value": "{WORD}"}}', WORD),
        ("main.tf", f'  {PASS} = "{MIXED}"', MIXED),
        ("Dockerfile", f"ENV API_TOKEN {LONG}", LONG),
        ("a.sh", f"tool --{PASS} {MIXED} --verbose", MIXED),
        ("a.sh", f"tool --{PASS}={MIXED}", MIXED),
        ("a.sh", f"curl -u admin:{MIXED} https://host", MIXED),
        ("a.sh", f"mysql -h db -u root -p{WORD} app", WORD),
        ("a.sh", f"openssl req -passin pass:{WORD} -new", WORD),
        ("a.sql", f"CREATE USER a WITH PASSWORD '{WORD}';", WORD),
        ("a.sql", f"ALTER USER a IDENTIFIED BY '{WORD}';", WORD),
        ("a.py", f'URL = "postgres://app:{MIXED}@db:5432/x"', MIXED),
        ("a.cs", f'"Server=db;User Id=sa;{PASS.title()}={WORD};Encrypt=true"', WORD),
        ("a.http", f"Authorization: Bearer {LONG}", LONG),
        ("a.go", f'signingKey := []byte("{LONG}")', LONG),
        ("a.py", f'secret = bytes.fromhex("{drawn(CHANCE, 32, HEX)}")', "a7"),
        ("a.php", f"define('DB_{PASS.upper()}', '{WORD}');", WORD),
        ("A.java", f'source.setPassword("{WORD}");', WORD),
        ("a.json", f'{{"key": "{drawn(CHANCE, 32, HEX)}-zq9"}}', "-zq9"),
        ("a.py", f"requests.get(url, auth=('deploy', '{MIXED}'))", MIXED),
        ("a.py", f"header = base64.b64encode(b'me:{WORD}')", WORD),
        ("a.py", f"smtp.login('me@host', '{MIXED}')", MIXED),
        ("a.py", f"connect('host=db user=app {PASS}={MIXED} dbname=app')", MIXED),
        ("a.js", f"jwt.sign(payload, '{LONG}')", LONG),
        ("a.go", f'request.SetBasicAuth("me", "{MIXED}")', MIXED),
        ("A.java", f'DriverManager.getConnection("jdbc:x://db/a", "app", "{MIXED}");', MIXED),
        ("a.php", f"mysqli_connect('db', $user, '{MIXED}', 'app');", MIXED),
        ("main.tf", f'variable "db_{PASS}" {{\n  type = string\n  default = "{MIXED}"\n}}', MIXED),
        ("a.gradle", f"    store{PASS.title()} '{WORD}'", WORD),
        ("redis.conf", f"requirepass {MIXED}", MIXED),
        ("a.ps1", f"net user svc {MIXED} /add", MIXED),
        ("a.rb", f"config.secret_key_base = '{drawn(CHANCE, 64, HEX)}'", "a"),
        ("a.yml", f"client_secret: {UUID}", UUID),
        ("a.yml", f"licence: {GROUPED}", GROUPED),
    ],
)
def test_a_literal_secret_is_found(path: str, line: str, value: str) -> None:
    """Row 002-05: no credentials, no unencrypted secrets."""
    text = f"before\n{line}\nafter\n"
    covered = [text[one.start : one.end] for one in spans(text, path)]
    assert any(value in one for one in covered), covered


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.sh", f"{PASS.upper()}=${{DB_{PASS.upper()}}}"),
        ("a.sh", "TOKEN=$(login-token)"),
        ("a.py", f"{PASS} = os.environ['DB_{PASS.upper()}']"),
        ("a.py", f"{PASS} = get_{PASS}(user)"),
        ("a.py", f"{PASS}={PASS},"),
        ("a.py", f'{PASS} = getpass.getpass("Password: ")'),
        ("a.py", f'{PASS} = ""'),
        ("a.py", f"{PASS} = None"),
        ("a.py", f'{PASS}_field = "login"'),
        ("a.py", 'token_url = "https://host/oauth/token"'),
        ("a.py", 'secret_name = "production-database"'),
        ("a.py", "labels = {'key': 'value'}"),
        ("a.py", 'for key in ("authorization", "x-api-key-v2"):'),
        ("a.py", 'token = re.compile("[a-z0-9]{32}")'),
        ("a.py", f'{PASS} = config.get("database")'),
        ("a.py", f'{PASS} = click.prompt("Password for the production database")'),
        ("a.js", f"const {PASS} = process.env.DB_{PASS.upper()};"),
        ("a.js", f'<input type="{PASS}" name="{PASS}" autocomplete="current-{PASS}">'),
        ("a.json", f'"{PASS}": "Forgot your {PASS}?"'),
        ("a.yml", f"{PASS}: {{{{ vault_{PASS} }}}}"),
        ("a.yml", f"{PASS}: !vault |"),
        ("a.yml", f"{PASS}: ENC[AES256_GCM,data:{LONG},type:str]"),
        ("a.yml", f"{PASS}: change" + "me"),
        ("a.yml", f"{PASS}: <your-{PASS}>"),
        ("a.yml", f"{PASS}: a-a--a"),
        ("a.py", f"{PASS} = f'{{user}}-{{number}}-kq7'"),
        ("a.md", "Files like .htpasswd or a kubeconfig belong to one person."),
        ("a.yml", "    secretKeyRef: {name: db, key: password}"),
        ("a.env.example", "API_KEY=your-api-key"),
        ("a.env.example", "API_KEY=xxxxxxxxxxxxxxxx"),
        ("a.md", "driver://user:pass@host/name"),
        ("a.md", f"the {PASS}: a text that only you know"),
        ("a.go", "db.Exec(`ALTER ROLE ` + user + ` WITH PASSWORD '` + pw + `'`)"),
        ("main.tf", f"{PASS} = var.db_{PASS}"),
        ("a.sql", "PRIMARY KEY: PARTITION KEY + 2 CLUSTERING COLUMNS"),
        ("package-lock.json", f'"integrity": "sha512-{LONG}{LONG}=="'),
        ("a.py", f'commit = "{drawn(CHANCE, 40, HEX)}"'),
        ("a.py", 'id = "0b0a5f5e-7c5e-4c55-9d5e-3d5f0f0a7b11"'),
        ("a.yml", f"id: {UUID}"),
        ("a.yml", f"session_cookie: {UUID}"),
        ("a.yml", "token: 550e8400-e29b-41d4-a716-446655440000"),
        ("a.yml", "id: xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx"),
        ("a.yml", "page: document-page-view-edit-presentation"),
        ("a.yml", f"root_{PASS}_sha256: {drawn(CHANCE, 64, HEX)}"),
        ("a.conf", f"{PASS} is asked for when the program starts"),
        ("a.py", "requests.get(url, auth=(user, token))"),
        ("a.rb", f"validates :{PASS}, presence: true"),
        ("main.tf", f'variable "db_{PASS}" {{\n  type = string\n  sensitive = true\n}}'),
        ("a.pub", f"ssh-rsa {LONG}{LONG}{LONG} me@host"),
    ],
)
def test_what_is_no_secret_is_left_alone(path: str, line: str) -> None:
    text = f"before\n{line}\nafter\n"
    assert [(one.rule.id, one.score) for one in find(text, path).found if one.score >= SURE] == []


@pytest.mark.parametrize(
    ("name", "sort"),
    [
        ("DB_PASSWORD", Sort.PASSWORD),
        ("dbPassword2", Sort.PASSWORD),
        ("client_secret", Sort.TOKEN),
        ("x-api-key", Sort.KEY),
        ("key", Sort.BARE_KEY),
        ("secret_key_base", Sort.KEY),
        ("password_file", None),
        ("tokenCount", None),
        ("primary_key", None),
        ("NextToken", None),
        ("client_request_token", None),
        ("access_token", Sort.TOKEN),
        ("public_key", None),
        ("monkey", None),
        ("compass", None),
        ("author", None),
        ("", None),
    ],
)
def test_a_name_says_what_follows(name: str, sort: Sort | None) -> None:
    assert sort_of(name) is sort


def test_words_are_told_from_letters_nobody_would_say() -> None:
    words = [
        "management",
        "configuration",
        "beautiful",
        "document",
        "search",
        "favorite",
        "administrator",
        "production",
    ]
    chance = random.Random(8)
    strange = ["".join(chance.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(12)) for _ in range(50)]
    assert not any(map(is_gibberish, words))
    assert sum(map(is_gibberish, strange)) >= 45
