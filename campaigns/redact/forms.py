"""Forms of text that hold a secret or none, and what is drawn for their places.

A form is a line. `⏎` ends a line of its text, and `«…»` is a place. A place in SECRETS must go, one in WORDS must stay.
Before a form stands its language, or `-` if none is told.
"""

import itertools
import re

import keys

DIGITS = "0123456789"
HEX = DIGITS + "abcdef"
SMALL = "abcdefghijklmnopqrstuvwxyz"
# Signs that end no literal, and others that mean something in some notations.
SIGNS = "!^~+._-"
OTHERS = "@#%*?:="


def mixed(chance, length):
    """Letters of both cases and two digits at least."""
    while True:
        text = keys.drawn(chance, keys.MIXED, length)
        if sum(map(str.isdigit, text)) > 1 and text.lower() != text and text.upper() != text:
            return text


def with_sign(text, at, sign):
    return text[:at] + sign + text[at + 1:]


def password(chance, nth):
    """A password of 12 to 16 characters; by turns with a sign, two, another sign, one at its end, and a token."""
    text = mixed(chance, chance.randint(12, 16))
    inner, second = chance.sample(range(3, len(text) - 2), 2)
    match nth % 10:
        case 0 | 1:
            return with_sign(text, inner, chance.choice(SIGNS))
        case 2:
            return with_sign(with_sign(text, inner, chance.choice(SIGNS)), second, chance.choice(SIGNS))
        case 3:
            return with_sign(text, inner, chance.choice(OTHERS))
        case 4:
            return text + chance.choice("!^~+_-")
        case 5 | 6:
            return token(chance, nth)
    return text


def token(chance, _):
    return chance.choice([token for token in keys.tokens(chance) if "://" not in token])


def chosen(chance, nth):
    """A password as people choose it."""
    word = keys.drawn(chance, SMALL, chance.choice([6, 8, 10]))
    number = keys.drawn(chance, DIGITS, chance.choice([2, 4]))
    names = ("Tiger", "Summer", "Blue", "Winter", "Acme", "Berlin", "Coffee", "Dragon")
    name, other = chance.sample(names, 2)
    return (word + number, f"{name}@{number}{other}", f"{name}{number}!", f"{name}_{number}{other.lower()}")[nth % 4]


def phrase(chance, nth):
    """Words with dashes between them, as people choose passwords: a digit, and letters of both cases."""
    words = ("correct", "horse", "battery", "sunshine", "Monday", "lamp", "Tiger", "purple", "River", "coffee")
    number = keys.drawn(chance, DIGITS, 1 + nth % 3)
    one, two, three = chance.sample(words, 3)
    return (f"{one}-{two}-{three}-{number}X", f"{one}-{two.title()}{number}-{three}-Rain", f"{one}-Moon-{number}",
            f"{one.title()}-{number}-{two}-{three}")[nth % 4]


def letters(chance, nth):
    """Letters alone, and with one sign."""
    text = keys.drawn(chance, keys.LETTERS, chance.choice([12, 16, 20, 24]))
    return with_sign(text, len(text) // 2, chance.choice("_-.=+")) if nth % 2 else text


def halves(chance, nth):
    """A token in two pieces."""
    text = token(chance, nth)
    at = chance.randint(len(text) // 3, 2 * len(text) // 3)
    return text[:at], text[at:]


def ends(chance, nth):
    """A token and its last characters."""
    text = chance.choice(["sk_" + "live_", "xox" + "b-", "gl" + "pat-"]) + mixed(chance, 24)
    at = len(text) - 2 - nth % 4
    return text[:at], text[at:]


def passwords(chance, nth):
    """A password in two pieces that are none by themselves."""
    text = mixed(chance, 14)
    return text[:7], text[7:]


# How private keys begin: PKCS #8 of P-384, X25519 and DSA, encrypted PKCS #8, SEC 1 of P-224, PKCS #1.
HEADS = ("MIG2" + "AgEAMBAGByqGSM49AgEGBSuBBAAi", "MC4C" + "AQAwBQYDK2VuBCIEI", "MIIB" + "XAIBADCCATQGByqGSM44BAEwggEn",
         "MIIF" + "LTBXBgkqhkiG9w0BBQ0wSjApBgkq", "MGgC" + "AQEEH", "MIIE" + "pAIBAAKC")
# How certificates and public keys do.
OPEN_HEADS = ("MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkq", "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD", "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCB",
              "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A")


def rows_behind(chance, head):
    """What begins so and goes on over three lines of base64."""
    text = head + keys.drawn(chance, keys.BASE64, 64 - len(head))
    return "\n".join([text, keys.drawn(chance, keys.BASE64, 64), keys.drawn(chance, keys.BASE64, 43) + "="])


SECRETS = {
    "B": lambda chance, nth: rows_behind(chance, HEADS[nth % len(HEADS)]),
    "P": password,
    "p": lambda chance, _: mixed(chance, chance.randint(12, 16)),
    "Q": lambda chance, _: mixed(chance, chance.randint(12, 16)),
    "S": lambda chance, nth: with_sign(mixed(chance, 14), 3 + nth % 8, "$"),
    "C": chosen,
    "W": phrase,
    "L": letters,
    "K": token,
    "H": lambda chance, _: keys.drawn(chance, HEX, 40),
}

# Secrets in pieces: the names of the pieces, and what draws them.
PIECES = {("K1", "K2"): halves, ("E1", "E2"): ends, ("P1", "P2"): passwords}

EVERYDAY = ("main", "dev", "staging", "prod", "user1", "v1.2.3", "api", "backend", "db", "release", "test2", "europe")
CAMEL = ("userName", "clientId", "GitHub", "iPhone", "getUserById", "v1beta1", "K8s", "i18n", "log4j", "IPv4", "100MB",
         "10px", "s3cmd", "B2B", "mysql", "20240115", "McKinsey", "OAuth2", "utf8", "x86_64")

WORDS = {
    "word": lambda chance: chance.choice(EVERYDAY),
    "camel": lambda chance: chance.choice(CAMEL),
    "sha": lambda chance: keys.drawn(chance, HEX, 40),
    "digest": lambda chance: keys.drawn(chance, HEX, 64),
    "port": lambda chance: str(chance.randint(1024, 65535)),
    "number": lambda chance: str(chance.randint(1, 99999)),
    "name": lambda chance: chance.choice(("DB_PASS", "ADMIN_SECRET", "DB_PASSWORD", "API_KEY", "Main_Pass2")),
    "slug": lambda chance: "-".join(chance.sample(("user", "password", "input", "reset", "Field", "name", "v2"), 3)),
    "plain": lambda chance: "-".join(chance.sample(("blue", "tiger", "lamp", "queue", "worker"), 3)),
    "id": lambda chance: "-".join(keys.drawn(chance, HEX, length) for length in (8, 4, 4, 4, 12)),
    "short": lambda chance: keys.drawn(chance, HEX, 8),
    "open": lambda chance: rows_behind(chance, chance.choice(OPEN_HEADS)),
}

PLACE = re.compile("«([^»]+)»")

# Forms with secrets, by language.
FORMS = r'''
-           «B»⏎
-           private key:⏎«B»⏎⏎name: «word»⏎
python      password = "«P»"⏎
python      DB_PASSWORD = '«P»'⏎x = 1⏎
python      db_password: str = "«P»"⏎
python      conf = {"host": "h", "password": "«P»", "port": 1}⏎
python      connect(host="h", user="bob", password="«P»")⏎
python      password: str = Field(default="«P»")⏎
python      PASSWORD = os.environ.get("DB_PASSWORD", "«P»")⏎
python      PASSWORD = os.getenv("DB_PASSWORD") or "«P»"⏎
python      password            = "«P»"⏎
python      api_key = "«K»"⏎"""«camel»"""⏎
python      class A:⏎    t = "«K»"⏎    """«camel»"""⏎
python      x = "«K»" + "«camel»"⏎
python      x = ["«K»", "«camel»"]⏎
python      x = "".join(["«K»", "«camel»"])⏎
python      x = f("«K»", "«sha»")⏎
python      f("""«K»""", """«sha»""")⏎
python      key = "«K1»" + "«K2»"⏎
python      key = ("«K1»"⏎       "«K2»")⏎
python      key = "".join(["«K1»", "«K2»"])⏎
python      key = "".join([("«K1»"), ("«K2»")])⏎
python      key = "«K1»\⏎«K2»"⏎
python      key = "«E1»" "«E2»"⏎
python      password = f"«p»{env}"⏎
python      password = f"«p»-{env}-«Q»"⏎
python      password = f"{a}«p»{b}«Q»{c}"⏎
python      password = f"«P1»{env}«P2»"⏎
python      url = f"postgres://bob:«p»@{host}:5432/db"⏎
python      url = "postgres://bob:«p»@db.internal:5432/app"⏎
python      os.system("mysqldump -u root -p«p» db")⏎
python      os.system("mysqldump -u root -p«S» db")⏎
python      subprocess.run(["mysql", "-u", "root", "-p«p»"])⏎
python      requests.get(url, auth=("admin", "«p»"))⏎
python      # password: «p»⏎x = 1⏎
python      db_password = "«C»"⏎
python      SECRETS = """⏎password=«P»⏎"""⏎
python      password = "«P»" if debug else None⏎
python      headers = {"Authorization": f"Bearer «K»"}⏎
python      engine = create_engine("mysql+pymysql://root:«p»@localhost/app")⏎
python      """Uses «K» for «camel»."""⏎
python      client.login("bob", "«P»")⏎
python      password = "«p»-{}".format(env)⏎
python      db_password = "«L»"⏎
python      db_password = "«W»"⏎
python      pw = "«p»"⏎
python      db_pw = '«p»'⏎
python      userPw = "«p»"⏎
python      conf = {"pw": "«p»"}⏎
python      credential = "«p»"⏎
python      conf = {"credentials": "«p»"}⏎
python      SECRET_KEY = os.environ.get('SECRET_KEY', '«p»')⏎
python      SECRET_KEY = os.environ.get('DJANGO_SECRET_KEY', '«K»')⏎
python      SECRET_KEY = os.getenv("APP_SECRET", default="«p»")⏎
python      PASSWORD = os.environ.get("DB_PASSWORD", "«W»")⏎
javascript  const password = "«P»";⏎
javascript  const c = { host: "h", password: '«P»', port: 1 };⏎
javascript  const c = { password: `«P»` };⏎
javascript  const p = process.env.DB_PASSWORD || "«P»";⏎
javascript  const p = process.env.DB_PASSWORD ?? '«P»';⏎
javascript  const key = "«K1»" + "«K2»";⏎
javascript  const key = ["«K1»", "«K2»"].join("");⏎
javascript  const key = "«K»" + "«camel»";⏎
javascript  const u = `mongodb://bob:«p»@${host}/db`;⏎
javascript  const password = `«p»-${env}-«Q»`;⏎
javascript  const c = {$password: "«P»"};⏎
typescript  private readonly password: string = "«P»";⏎
typescript  @Secret("«K») x⏎export const apiKey = "«K»" as const;⏎
go          password := "«P»"⏎
go          var c = Config{⏎	Password:            "«P»",⏎	Port:                1,⏎}⏎
go          const APIKey = "«K»"⏎
go          x := f(`«K»`, `«sha»`)⏎
go          dsn := "bob:«p»@tcp(db:3306)/app"⏎
go          key := "«K1»" +⏎	"«K2»"⏎
rust        let password = "«P»";⏎
rust        const API_KEY: &str = "«K»";⏎
rust        let x = "«K1»\⏎    «K2»";⏎
rust        let key = concat!("«K1»", "«K2»");⏎
rust        let password = r#"«P»"#;⏎
java        String password = "«P»";⏎
java        props.setProperty("db.password", "«P»");⏎
java        @Value("${DB_PASSWORD:«P»}")⏎String p;⏎
java        ds.setPassword("«P»");⏎
java        DriverManager.getConnection(url, "bob", "«P»");⏎
java        String key = String.join("", ("«K1»"), ("«K2»"));⏎
java        String key = new StringBuilder("«K1»").append("«K2»").toString();⏎
java        String key = StringUtils.concat("«K1»", "«K2»");⏎
java        String x = "«K»" + "«camel»";⏎
kotlin      val password = "«P»"⏎
kotlin      val p = System.getenv("DB_PASSWORD") ?: "«P»"⏎
csharp      string password = "«P»";⏎
csharp      var s = "Server=db;Database=app;User Id=sa;Password=«p»;";⏎
csharp      var s = "Server=db;User Id=sa;Password=«P»;Encrypt=true";⏎
csharp      string password = $"«p»{env}«Q»";⏎
csharp      string password = $"«P1»{env}«P2»";⏎
csharp      string password = @"«P»";⏎
php         $password = '«P»';⏎
php         define('DB_PASSWORD', '«P»');⏎
php         define('DB_PASSWORD',            '«P»');⏎
php         'password' => env('DB_PASSWORD', '«P»'),⏎
php         $p = new PDO($dsn, 'bob', '«P»');⏎
php         $password = "«p»{$env}«Q»";⏎
php         f("$db_password: «p»");⏎
php         $key = '«K1»' . '«K2»';⏎
ruby        password = '«P»'⏎
ruby        config.api_key = "«K»"⏎
ruby        password: ENV.fetch("DB_PASSWORD", "«P»"),⏎
ruby        db = { password: '«P»' }⏎
-           ALTER USER bob IDENTIFIED BY '«P»';⏎
-           CREATE USER bob WITH PASSWORD '«P»';⏎
-           SELECT concat('«K1»', '«K2»');⏎
-           SELECT concat(('«K1»'), ('«K2»'));⏎
env         DB_PASSWORD=«P»⏎PORT=1⏎
env         DB_PASSWORD="«P»"⏎PORT=1⏎
env         DB_PASSWORD='«P»'⏎PORT=1⏎
env         export DB_PASSWORD=«P»⏎
env         spring.datasource.password=«P»⏎
env         spring.datasource.password=${DB_PASSWORD:«P»}⏎
env         [db]⏎user = bob⏎password = «P»⏎
env         password            = «P»⏎
env         password: «P»⏎
env         DB_PASSWORD=«C»⏎
env         DB_PASSWORD=«L»⏎
env         DATABASE_URL=postgres://bob:«p»@db:5432/app⏎
env         REDIS_URL=redis://:«p»@cache:6379/0⏎
env         SMTP_PASS=«P» # old⏎
env         API_KEY=«K»⏎
env         DB_PASSWORD=«S»⏎PORT=1⏎
-           DB_PASSWORD=«P»⏎PORT=1⏎
-           password = «P»⏎
yaml        host: h⏎password: «P»⏎port: 1⏎
yaml        password: "«P»"⏎
yaml        password: '«P»'⏎
yaml        db: {user: bob, password: «p», port: 1}⏎
yaml        db: {user: bob, password: "«P»"}⏎
yaml        password:            «P»⏎
yaml        password: !!str «p»⏎
yaml        password: ${DB_PASSWORD:«P»}⏎
yaml        password: "${DB_PASSWORD:«p»}"⏎
yaml        environment:⏎  - DB_PASSWORD=«P»⏎  - PORT=1⏎
yaml        environment:⏎  DB_PASSWORD: «P»⏎
yaml        env:⏎- name: DB_PASSWORD⏎  value: «P»⏎
yaml        env:⏎- name: DB_PASSWORD⏎  value: "«P»"⏎
yaml        command: mysqladmin ping -p«p»⏎
yaml        run: mysql -u root -p«S» db⏎
yaml        a b: "«K1»\⏎  «K2»"⏎
yaml        a: "«K1»\⏎  «K2»"⏎
yaml        {b: "«K1»\⏎  «K2»"}⏎
yaml        note: "interval [0,1)"⏎password: «P»⏎
yaml        password: «C»⏎
yaml        password: «L»⏎
yaml        password: «W»⏎
yaml        pw: «p»⏎
yaml        credential: «p»⏎
yaml        key:⏎- «K1»⏎- «K2»⏎
yaml        - «K»⏎- «sha»⏎
yaml        token: «H»⏎
yaml        url: amqp://bob:«p»@mq:5672/v⏎
yaml        stringData:⏎  password: «P»⏎
workflow    jobs:⏎  a:⏎    env:⏎      DB_PASSWORD: «P»⏎
workflow    jobs:⏎  a:⏎    steps:⏎    - run: sshpass -p «p» ssh bob@h⏎
toml        [db]⏎password = "«P»"⏎
toml        password         = '«P»'⏎
toml        db = { user = "bob", password = "«P»" }⏎
json        {"host": "h", "password": "«P»", "port": 1}⏎
json        {"password":            "«P»"}⏎
json        {"db": {"api_token": "«H»"}}⏎
json        {"$password": "«P»"}⏎
json        {"a": ["«K»", "«sha»"]}⏎
json        {"url": "https://bob:«p»@h.internal/x"}⏎
xml         <db><user>bob</user><password>«P»</password></db>⏎
xml         <property name="password" value="«P»"/>⏎
xml         <add key="DbPassword" value="«P»" />⏎
xml         <property name="p" value="${DB_PASSWORD:«P»}"/>⏎
xml         <add connectionString="Server=db;User Id=sa;Password=«p»;" />⏎
-           resource "aws_db_instance" "a" {⏎  username = "bob"⏎  password = "«P»"⏎}⏎
-           resource "x" "a" {⏎  username            = "bob"⏎  password            = "«P»"⏎}⏎
-           variable "db_password" {⏎  type    = string⏎  default = "«P»"⏎}⏎
-           variable "db_password" { default = "«P»" }⏎
-           db_password = "«P»"⏎
dockerfile  FROM a⏎ENV DB_PASSWORD=«P»⏎
dockerfile  FROM a⏎ENV DB_PASSWORD «P»⏎
dockerfile  FROM a⏎ARG DB_PASSWORD="«P»"⏎
dockerfile  FROM a⏎RUN mysql -u root -p«p» db⏎
dockerfile  FROM a⏎RUN curl -u bob:«p» https://h/⏎
shell       export DB_PASSWORD=«P»⏎
shell       export DB_PASSWORD="«P»"⏎
shell       DB_PASSWORD='«P»' ./run⏎
shell       DB_PASSWORD=$'«P»'⏎
shell       p="${DB_PASSWORD:-«P»}"⏎
shell       p="${DB_PASSWORD:+"«P»"}"⏎
shell       mysql -u root -p«P» db⏎
shell       mysql -u root -p'«S»' db⏎
shell       mysql -p"«p»$A-«Q»"⏎
shell       sshpass -p «P» ssh bob@h⏎
shell       sshpass -p "«p»" ssh bob@h⏎
shell       curl -u bob:«p» https://h/⏎
shell       curl -u "bob:«P»" https://h/⏎
shell       curl -H "Authorization: Bearer «K»" https://h/⏎
shell       curl "https://h/?password=«p»&x=1"⏎
shell       docker run -e "DB_PASSWORD=«P»" -e "B=main" img⏎
shell       docker run -e DB_PASSWORD=«P» img⏎
shell       docker login -u bob -p «p» reg.internal⏎
shell       redis-cli -a «p» ping⏎
shell       openssl enc -aes-256-cbc -k '«P»' -in a⏎
shell       echo "«P»" | docker login -u bob --password-stdin⏎
shell       lftp -u deploy,«p» h⏎
shell       wget --user=bob --password='«P»' https://h/⏎
shell       read -s PASSWORD; PASSWORD=${PASSWORD:-«p»}⏎
shell       curl -X POST -d '{"user": "bob", "password": "«P»"}' https://h/⏎
shell       curl -d "user=bob&password=«p»" https://h/⏎
shell       kubectl create secret generic a --from-literal=password=«P»⏎
shell       PASSWORD="«P»" # «camel»⏎
shell       PGPASSWORD=«P» psql -h db⏎
shell       x --password «P» -v⏎
shell       x --password=«P» -v⏎
shell       x --token '«K»' '«camel»'⏎
shell       git clone https://bob:«K»@h.internal/x.git⏎
shell       KEY="«K1»"'«K2»'⏎
shell       export KEY=«K1»\⏎«K2»⏎
shell       KEY='«K»''«camel»'⏎
shell       cat <<EOF⏎password: «p»⏎EOF⏎
shell       echo "password=«P»" > x⏎
-           mysql -u root -p«P» db⏎
-           run mysql -u root -p«S» db⏎
-           sshpass -p «S» ssh h⏎
-           x --password "«S»"⏎
-           machine h login bob password «P»⏎
-           machine h⏎  login bob⏎  password «P»⏎
-           db.internal:5432:app:bob:«p»⏎
-           postgres://bob:«p»@db.internal:5432/app⏎
-           The address is https://bob:«p»@h.internal/x.⏎
-           https://h/?password=«p»&x=1⏎
-           (see http://h/?password=«p»)⏎
-           [x](http://h/?password=«p»)⏎
-           ftp://john.doe:«p»@h/x⏎
-           | user | password |⏎|---|---|⏎| bob | «P» |⏎
-           | DB_PASSWORD | «P» | rotate |⏎
-           | name | value |⏎|---|---|⏎| DB_PASSWORD | «P» |⏎
-           | name | value |⏎|---|---|⏎| DB_PASSWORD | `«P»` |⏎
-           user,password⏎bob,«P»⏎eve,«p»⏎
-           user;password;note⏎bob;"«P»";«camel»⏎
-           | DB_PASSWORD | `«P»` |⏎
-           | `DB_PASSWORD` | «P» | the password of «word» |⏎
-           name,token⏎a,«H»⏎b,«K»⏎
-           id,user,api_token⏎1,bob,«H»⏎2,eve,«H»⏎
-           password: «P»⏎
-           The password is `«P»`.⏎
-           Log in with password: «p». See the docs.⏎
-           **Password:** «P»⏎
-           - password: `«P»`⏎
-           Use token «K» for it.⏎
-           $password: "«P»";⏎
-           "password=«P»"⏎
-           f("DB_PASSWORD=«p»")⏎
-           let x = "«K1»\⏎    «K2»";⏎
-           x = "«K1»" "«K2»"⏎
-           Authorization: Basic bob⏎X-Api-Key: «K»⏎
'''

# Nothing of these may change.
HARMLESS = r'''
-           public key:⏎«open»⏎⏎name: «word»⏎
-           http://localhost:«port»?x=«short»@me⏎
-           http://localhost:«port»#«short»@host⏎
-           git+ssh://host:22#«sha»@x⏎
-           kafka://b1:9092,b2:9092;id=«short»@x⏎
-           docker pull reg:5000/img:v1@sha256:«digest»⏎
-           https://h.internal:«port»/x?ref=«sha»⏎
-           commit «sha»⏎Author: Bob⏎
-           sha256:«digest»⏎
-           | name | id |⏎|---|---|⏎| «camel» | «id» |⏎
-           The password is stored in «name».⏎
-           password: see «camel» on page «number»⏎
-           | PASSWORD | «camel» | rotate |⏎
-           | `DB_PASSWORD` | `«camel»` | the password of «word» |⏎
-           | PASSWORD_FILE | /run/secrets/«word» |⏎
-           | password | string | «camel» |⏎
-           | name | token |⏎|---|---|⏎| «camel» | «word» |⏎
-           commit,token⏎«sha»,«word»⏎
-           variable "db_password" {⏎  type = string⏎}⏎variable "image" {⏎  default = "img@sha256:«digest»"⏎}⏎
-           variable "password_secret_name" {⏎  default = "«word»-«number»"⏎}⏎
-           Set password: «camel». Then go on.⏎
-           variable "db_password" {⏎  description = "«camel»"⏎}⏎
-           name,token⏎a,«camel»⏎b,«word»⏎
-           name,token_count⏎a,«sha»⏎
env         HOST=«word»⏎PORT=«port»⏎TAG=«sha»⏎
env         PASSWORD=$«name»⏎
env         PASSWORD_FILE=/run/secrets/«word»⏎
yaml        password: ${«name»}⏎
yaml        password: «slug»⏎
yaml        password: «plain»⏎
yaml        credentialsId: «word»-«camel»-key-«number»⏎
yaml        image: reg/img@sha256:«digest»⏎
yaml        secretKeyRef: {name: «word», key: password}⏎
yaml        env:⏎- name: DB_PASSWORD⏎  valueFrom: «camel»⏎
python      password = os.environ["«name»"]⏎
python      password = get_password("«camel»")⏎
python      password = "«slug»"⏎
python      password = "«plain»"⏎
python      pw = page.«camel»(1)⏎
python      credential = "«word»-credential-«number»"⏎
python      SECRET_NAME = os.environ.get("SECRET_NAME", "«word»-«camel»-«number»")⏎
python      password = f"{«name»}-{host}"⏎
python      x = "«camel»" + "«word»"⏎
python      COMMIT = "«sha»"⏎ID = "«id»"⏎
javascript  const password = process.env.«name»;⏎
javascript  const u = `http://localhost:${port}/«camel»`;⏎
shell       PASSWORD="$«name»" ./run «word»⏎
shell       mysql -u root -p"$«name»" db⏎
shell       curl -u "bob:$«name»" https://h/«word»⏎
shell       x --password "$USER-$«name»"⏎
shell       git checkout «sha»⏎
json        {"integrity": "sha256-«digest»", "id": "«id»"}⏎
xml         <property name="password" value="${«name»}"/>⏎
'''


def forms():
    """Each form: its line, its language or None, and its text with places."""
    for line in itertools.chain(FORMS.splitlines(), HARMLESS.splitlines()):
        if line:
            language, form = line.split(None, 1)
            yield f"{language} {form}", None if language == "-" else language, form.replace("⏎", "\n")


def write(form, chance, nth):
    """A text of a form, as pieces with whether each must go: `[(text, False), (secret, True), …]`."""
    known = {}
    for names, draw in PIECES.items():
        if f"«{names[0]}»" in form:
            known.update(zip(names, draw(chance, nth), strict=True))
    pieces = []
    for text, name in itertools.zip_longest(*[iter(PLACE.split(form))] * 2):
        pieces.append((text, False))
        if name in WORDS:
            pieces.append((WORDS[name](chance), False))
        elif name is not None:
            pieces.append((known.get(name) or SECRETS[name](chance, nth), True))
    return pieces
