//! Cookies that log somebody in.

use super::*;

/// Before, cookies stayed, also those that a browser copies into a command.
#[test]
fn cookies_of_a_session_go() {
    let (one, two) = ("XykWZeiNNCiiia3anXn9k3ksu9mI4ROnl", "89Sm995ytbxAk7jqevt0MLaMRTvetw0t");
    for (text, expected) in [
        (
            "Cookie: theme=dark; sessionid=@; csrftoken=2\n",
            "Cookie: theme=dark; sessionid=M; csrftoken=N\n",
        ),
        (
            "Set-Cookie: session=@; Path=/; HttpOnly\r\n",
            "Set-Cookie: session=M; Path=/; HttpOnly\r\n",
        ),
        (
            "curl -b 'session=@; _ga=GA1.2.1834758210.1612345678' https://a.b\n",
            "curl -b 'session=M; _ga=GA1.2.1834758210.1612345678' https://a.b\n",
        ),
        ("curl --cookie \"s=@\" a.b\n", "curl --cookie \"s=M\" a.b\n"),
        (
            "h = {\"Cookie\": \"sid=@\", \"Accept\": \"a\"}\n",
            "h = {\"Cookie\": \"sid=M\", \"Accept\": \"a\"}\n",
        ),
        (
            "{\"name\": \"cookie\", \"value\": \"sid=@; lang=de\"}",
            "{\"name\": \"cookie\", \"value\": \"sid=M; lang=de\"}",
        ),
        (
            "get(u, cookies={'sessionid': '@', 'lang': 'de'})\n",
            "get(u, cookies={'sessionid': 'M', 'lang': 'de'})\n",
        ),
    ] {
        let told = redacted(&text.replace('@', one).replace("=2\n", &format!("={two}\n"))).text;
        let told = told.replace("<REDACTED:api_key:1>", "M").replace("<REDACTED:api_key:2>", "N");
        assert_eq!(told, expected, "{text}");
    }
    for text in [
        "Cookie: theme=dark; lang=de-DE; consent=accepted-all-2024\n",
        "Cookie: OptanonConsent=isGpcEnabled0AndDatestamp2024\n",
        "cookie_name = \"sessionid_for_application_2\"\n",
        "response.set_cookie(\"sessionid\", value=token_value_2)\n",
        "Cookie: session=YOUR_SESSION_ID_HERE_1234\n",
    ] {
        assert_eq!(redacted(text).text, text);
    }
}

/// Before, a list ended at the first cookie that is not plain, and a map at the first end of an object.
#[test]
fn cookies_behind_others_go() {
    const ONE: &str = "XykWZeiNNCiiia3anXn9k3ksu9mI4ROnl";
    let pairs = [
        "c={stamp:1}",
        "x=\"a b\"",
        "p={\"a\":1}",
        "a=(1)",
        "a=${A}",
        "a=b c",
        "seen",
        "a[1]=2",
        "a=",
        "ä=1",
        "sessionid=<REDACTED:api_key:1>",
    ];
    let long = format!("a={}", "xy".repeat(3000));
    for first in pairs.into_iter().chain([long.as_str()]) {
        let text = format!("Cookie: {first}; sid={ONE}; lang=en\n");
        let told = redacted(&text).text;
        let mark = if first.contains("REDACTED") { 2 } else { 1 };
        let expected = format!("Cookie: {first}; sid=<REDACTED:api_key:{mark}>; lang=en\n");
        assert_eq!(told, expected);
    }
    for text in [
        "{\"cookies\":[{\"name\":\"theme\",\"value\":\"dark\",\"expires\":-1},{\"name\":\"sid\",\"value\":\"@\"}]}",
        "page.setCookie({name: \"a\", value: \"b\"}, {name: 'sid', value: '@'});\n",
        "{\"set-cookie\":[\"a=b; Path=/\",\"sid=@; Path=/\"]}",
        "cookies = {\n    \"theme\": \"dark\",  # it's\n    \"sid\": \"@\",\n}\n",
        "cookies = dict(theme=\"dark\", sid=\"@\")\n",
        "cookies:\n  theme: dark\n  sid: @\nother: x\n",
        "cookies:\n- name: sid\n  value: @\n",
        "# Netscape HTTP Cookie File\n\n#HttpOnly_.a.com\tTRUE\t/\tTRUE\t0\tsid\t@\n",
        "s.cookies.set('sid', '@', domain='x')\n",
        "cy.setCookie('sid', '@')\n",
        "headers[\"Cookie\"] = \"a=b; sid=@\"\n",
        "$headers = ['Cookie' => 'a=b; sid=@'];\n",
        "h = {\"Cookie\": f\"a={b}; sid=@\"}\n",
        "curl --cookie sid=@ https://x\n",
        "\"{\\\"Cookie\\\": \\\"a=b; sid=@\\\"}\"\n",
        "Cookie: sid=\"@\"\n",
        "jar.setCookie('sid=@; Path=/', url)\n",
        "{\"request\": \"GET / HTTP/1.1\\r\\nCookie: sid=@\\r\\nETag: m\\r\\n\"}\n",
        "cookies = { sid = \"@\", rev = \"x\" }\n",
        "set_cookie(cookie=dict(sid='@'), path='/')\n",
        "Cookie: a=1;\n  sid=@\n",
        "console.log('got cookie: sid=@', x, y); next(z)\n",
        "x: <td>Cookie: sid=@</td><td>a</td>\n",
        "GET / cookie=sid=@;a=b rev=3f2b1c4d5e6f4a7b8c9d0e1f2a3b4c5d6e7f8091 status=200\n",
        "x: <meta name=\"cookie\" content=\"sid=@\">\n",
        "cookies = {'a': b'b', 'sid': r'@'}\n",
        "headers={cookie=[sid=@; a=b], accept=[x]}\n",
        "{Cookie=[a=b, sid=@], Host=[a]}\n",
        "Cookie(sid=@)\n",
        "cookies={sid=@, a=b}\n",
        "Cookies: sid=@\n",
        "headers = {\"Cookie\": \"a=b; \"\n    \"sid=@; c=d\"}\n",
        "curl -b 'sid=@' https://x.io/ --cookie-jar out\n",
        "document.cookie=a+\"=\"+b;a.setCookie(\"sid=@; Path=/\");\n",
        "Cookie: sid=@ is sent by the browser; a=b\n",
        "{\"a\": \"sent Cookie: sid=@ and rev h\"}\n",
        "curl -H Cookie:sid=@ https://x.io/\n",
        "r = b'GET / HTTP/1.1\\r\\nCookie: sid=@\\r\\nX-Rev: h\\r\\n'\n",
        "curl -b 'sessionid=@' -H 'X-Commit: a' https://x.io/\n",
    ] {
        for value in
            [ONE, "hox3ntorue2yykjgdqwjk4rxvueej9lo", "s%3AhoX3ntorUe2yykjgdqwj.k4rxvueej9loQ7tR2w"]
        {
            let told = redacted(&text.replace('@', value)).text;
            assert_eq!(told, text.replace('@', "<REDACTED:api_key:1>"), "{text}");
        }
    }
    for text in [
        "Cookie: color_mode=%7B%22color_mode%22%3A%22auto%22%2C%22light_theme%22%3A%7B%22name%22%3A%22light%22%7D%7D\n",
        "Cookie: last_visited=%2Fdocs%2Fgetting-started%2FQuickStart2\n",
        "Cookie: device_id=3f2b1c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d\n",
        "Cookie: build=v2.14.0-rc.3+build.20240512.a1b2c3d4\n",
        "Cookie: release=3f2b1c4d5e6f4a7b8c9d0e1f2a3b4c5d6e7f8091\n",
        "Cookie: flags=newCheckout2=1&darkModeV3=0&fooBarBaz4=1\n",
        "Cookie: session_theme=dark_blue_2024_version\n",
        "\"node_modules/cookie\": {\n  \"version\": \"0.6.0\",\n  \"integrity\": \"sha512-XykWZeiNNCiiia3anXn9k3ksu9mI4ROnl+a/b==\"\n}\n",
        "cookies = [\n  {file = \"c.whl\", hash = \"sha256:3f2b1c4d5e6f4a7b8c9d0e1f2a3b4c5d6e7f8091a2b3c4d5\"},\n]\n",
        "const cookies = {rev: '3f2b1c4d5e6f4a7b8c9d0e1f2a3b4c5d6e7f8091'}\n",
        "logger.info(\"cookies\", extra={'etag': '3f2b1c4d5e6f4a7b8c9d0e1f2a3b4c5d'})\n",
        "const isCookie = (x) => x === cookie || x === '3f2b1c4d5e6f4a7b8c9d0e1f2a3b4c5d6e7f8091' || y;\n",
        "document.cookie = name + '=' + v; img.src = '/x.png?v=3f2b1c4d5e6f4a7b8c9d0e1f2a3b4c5d6e7f8091'; go();\n",
        "cookie = make(digest=\"3f2b1c4d5e6f4a7b8c9d0e1f2a3b4c5d\", n=1)\n",
        "e.exports={xsrfCookieName:\"a\",cookie:t};r.c=\"XykWZeiNNCiiia3anXn9k3ksu9mI4ROnl\";d()\n",
        "getCookie:function(e){var t=e;h=\"3f2b1c4d5e6f4a7b8c9d0e1f2a3b4c5d6e7f8091\"},y=2;\n",
        "cookie=1;n=\"3f2b1c4d5e6f4a7b8c9d0e1f2a3b4c5d6e7f8091\";\n",
        "switch(e){case cookie:x=1;y=\"3f2b1c4d5e6f4a7b8c9d0e1f2a3b4c5d6e7f8091\";break}\n",
        "GET /a?cookie=1;seed=XykWZeiNNCiiia3anXn9k3ksu9mI4ROnl\n",
        "echo cookie: $a; SEED=\"XykWZeiNNCiiia3anXn9k3ksu9mI4ROnl\" ./run\n",
        "{\"cookies\": [], \"seed\": \"XykWZeiNNCiiia3anXn9k3ksu9mI4ROnl\"}\n",
        "cookies = []\nnext_page = \"XykWZeiNNCiiia3anXn9k3ksu9mI4ROnl\"\n",
        "def f(cookies={}, cursor=\"XykWZeiNNCiiia3anXn9k3ksu9mI4ROnl\"): pass\n",
        "cookie:\n  domain: a.io\n  nonce: XykWZeiNNCiiia3anXn9k3ksu9mI4ROnl\n",
        "<button data-cookie:x=\"a;seed=XykWZeiNNCiiia3anXn9k3ksu9mI4ROnl\">\n",
        "COOKIE=a REV=3f2b1c4d5e6f4a7b8c9d0e1f2a3b4c5d6e7f8091 ./run --x=y\n",
        "<a href=\"/cookies\">Cookies</a> <script src=\"/app.3f2b1c4d5e6f4a7b8c9d.js\"></script><p>\n",
        "cookie: [{id: '3f2b1c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d'}]\n",
    ] {
        assert_eq!(redacted(text).text, text);
    }
}
