//! A workspace of its own for each test, the binary in it, and a client that speaks lines.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::sync::LazyLock;

#[cfg(target_os = "linux")]
use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_resilient-write");
pub(crate) const READER: &str = env!("CARGO_BIN_EXE_resilient-read");

/// Starts a process that is bound by the permissions of files, also where the superuser runs the tests.
#[cfg(unix)]
pub(crate) fn bound<T: Send>(start: impl FnOnce() -> T + Send) -> T {
    let start = || {
        // The right to pass over permissions is taken from this thread, and so from what it starts. Another user
        // has none, and is refused here.
        #[cfg(target_os = "linux")]
        for right in [CapabilitySet::DAC_OVERRIDE, CapabilitySet::DAC_READ_SEARCH] {
            let _ = remove_capability_from_bounding_set(right);
        }
        start()
    };
    std::thread::scope(|scope| scope.spawn(start).join()).unwrap()
}

/// The version of the protocol that a client speaks here.
const VERSION: &str = "2025-11-25";

/// The variables of the surroundings that the binary does not get.
const VARIABLES: [&str; 9] = [
    "NO_COLOR",
    "RR_WORKSPACE",
    "RR_STATE_DIR",
    "RW_WORKSPACE",
    "RW_STATE_DIR",
    "RW_POLICY_FILE",
    "RW_SCRATCH_DISABLE_GET",
    "RW_ALLOW_UNSAFE_ROOTS",
    "RW_TOOLS",
];

fn validator(schema: &str) -> jsonschema::Validator {
    jsonschema::draft202012::new(&serde_json::from_str(schema).unwrap()).unwrap()
}

/// The schema of the tools that write.
pub(crate) static OF_WRITER: LazyLock<jsonschema::Validator> =
    LazyLock::new(|| validator(include_str!("../../../../spec/errors.schema.json")));

/// The schema of the tools that read.
pub(crate) static OF_READER: LazyLock<jsonschema::Validator> =
    LazyLock::new(|| validator(include_str!("../../../../spec/read-errors.schema.json")));

/// Asserts that a value is an error envelope by the schema of the tool that failed, and by no other.
pub(crate) fn assert_envelope(value: &Value) {
    let tool = value["context"]["tool"].as_str().unwrap_or_default();
    let reads = tool.starts_with("rr") || value["reason_hint"] == "unknown_tool";
    let (own, other) = if reads { (&OF_READER, &OF_WRITER) } else { (&OF_WRITER, &OF_READER) };
    let faults: Vec<String> = own.iter_errors(value).map(|fault| fault.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?} in {value}");
    assert!(!other.is_valid(value), "{value}");
    let hint = value["context"]["hint"].as_str().unwrap();
    assert!(!hint.contains(". ") && !hint.ends_with('.'), "{hint}");
}

/// Text that a content filter would reject: two captured requests.
pub(crate) fn secrets() -> String {
    let token = ["sk-", "ant-", "oat01-", &"A1b2C3d4".repeat(8)].concat();
    let session = ["ey", "JhbGciOiJI", ".ey", "JzdWIiOiIx", ".c2lnbmF0dXJl"].concat();
    format!("Authorization: Bearer {token}\nX-Again: Bearer {token}\nCookie: {session}\n")
}

/// A temporary workspace.
pub(crate) struct Sandbox {
    dir: TempDir,
    variables: Vec<(&'static str, String)>,
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        Self { dir: TempDir::new().unwrap(), variables: Vec::new() }
    }

    /// Sets a variable for every binary that is started here from now on.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// The workspace, its links resolved.
    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    pub(crate) fn path(&self, inside: impl AsRef<Path>) -> PathBuf {
        self.root().join(inside)
    }

    pub(crate) fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).unwrap()
    }

    /// The names in the workspace.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.root()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn command(&self, program: &str, cwd: &Path) -> Command {
        let mut command = Command::new(program);
        for variable in VARIABLES {
            command.env_remove(variable);
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value))).current_dir(cwd);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the binary with these arguments and this standard input.
    pub(crate) fn run_with<S: AsRef<OsStr>>(&self, args: &[S], stdin: impl AsRef<[u8]>) -> Ran {
        self.run_in(&self.root(), args, stdin)
    }

    /// Runs the binary with nothing on standard input.
    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> Ran {
        self.run_with(args, "")
    }

    /// Runs the reader with nothing on standard input.
    pub(crate) fn run_reader<S: AsRef<OsStr>>(&self, args: &[S]) -> Ran {
        self.run_program(READER, &self.root(), args, "")
    }

    /// Runs the binary in a directory where these shell commands have made mounts that it alone sees; nothing
    /// where this system lets its user make none.
    #[cfg(target_os = "linux")]
    pub(crate) fn run_with_mounts(&self, cwd: &str, mounts: &str, args: &[&str]) -> Option<Ran> {
        let unshared = |script: &str, args: &[&str]| {
            let script = format!("{mounts} && {script}");
            let shell = ["-rm", "sh", "-c", &script, BINARY];
            self.run_program("unshare", &self.path(cwd), &[&shell[..], args].concat(), "")
        };
        (unshared("true", &[]).code == 0).then(|| unshared("exec \"$0\" \"$@\"", args))
    }

    /// Runs the binary in another directory.
    pub(crate) fn run_in<S: AsRef<OsStr>>(
        &self,
        cwd: &Path,
        args: &[S],
        stdin: impl AsRef<[u8]>,
    ) -> Ran {
        self.run_program(BINARY, cwd, args, stdin)
    }

    fn run_program<S: AsRef<OsStr>>(
        &self,
        program: &str,
        cwd: &Path,
        args: &[S],
        stdin: impl AsRef<[u8]>,
    ) -> Ran {
        let mut child = self.command(program, cwd).args(args).spawn().unwrap();
        // A command that reads nothing may have ended already.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_ref());
        let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
        Ran {
            code: status.code().unwrap(),
            stdout: String::from_utf8(stdout).unwrap(),
            stderr: String::from_utf8(stderr).unwrap(),
        }
    }

    /// Starts the server, with these arguments, and shakes hands.
    pub(crate) fn serve(&self, args: &[&str]) -> Client {
        self.connect(args).greeted()
    }

    /// The same for a client of that name.
    pub(crate) fn serve_as(&self, name: &str, args: &[&str]) -> Client {
        self.connect(args).greeted_as(name, VERSION)
    }

    /// Starts the server that only reads, and shakes hands.
    pub(crate) fn serve_reader(&self, args: &[&str]) -> Client {
        Client::of(self.command(READER, &self.root()).args(args)).greeted()
    }

    /// Starts the server from a shell that has run `before`, and shakes hands.
    #[cfg(unix)]
    pub(crate) fn serve_after(&self, before: &str) -> Client {
        let script = format!("{before} && exec \"$0\"");
        let mut shell = self.command("sh", &self.root());
        Client::of(shell.args(["-c", &script, BINARY])).greeted()
    }

    /// Starts the server.
    pub(crate) fn connect(&self, args: &[&str]) -> Client {
        Client::of(self.command(BINARY, &self.root()).args(args))
    }
}

impl Ran {
    /// Standard output as one line of JSON.
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.stdout.matches('\n').count(), 1, "{self:?}");
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// A success: nothing on standard error.
    pub(crate) fn ok(self) -> Self {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{self:?}");
        self
    }

    /// A failure for people: nothing on standard output.
    pub(crate) fn complaint(&self) -> &str {
        assert!(![0, 2].contains(&self.code) && self.stdout.is_empty(), "{self:?}");
        &self.stderr
    }

    /// A failure for programs: the envelope on standard output, nothing on standard error.
    pub(crate) fn envelope(&self) -> Value {
        assert_eq!(self.stderr, "", "{self:?}");
        let envelope = self.json();
        assert_envelope(&envelope);
        let kinds = [
            "stale_precondition",
            "blocked",
            "quota_exceeded",
            "policy_violation",
            "write_corruption",
            "not_found",
            "permission_denied",
            "invalid_input",
        ];
        let code = match kinds.iter().position(|kind| envelope["error"] == *kind).unwrap() {
            _ if is_none(envelope["context"]["reason"].as_str()) => 8,
            at @ 0..=5 => i32::try_from(at).unwrap() + 3,
            _ => 6,
        };
        assert_eq!(self.code, code, "the exit status tells the kind: {self:?}");
        envelope
    }
}

/// Whether a reason says that what the command names is not there. No command names the policy.
fn is_none(reason: Option<&str>) -> bool {
    reason.filter(|reason| *reason != "policy_not_found").is_some_and(|reason| {
        reason == "removed" || reason == "no_chunks_found" || reason.ends_with("not_found")
    })
}

/// A client of one server process. Dropping it hangs up.
pub(crate) struct Client {
    pub(crate) to_server: Option<ChildStdin>,
    from_server: Option<BufReader<ChildStdout>>,
    /// What the server said of itself.
    pub(crate) hello: Value,
    child: Child,
}

impl Client {
    fn of(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        Self {
            to_server: child.stdin.take(),
            from_server: child.stdout.take().map(BufReader::new),
            hello: Value::Null,
            child,
        }
    }

    fn greeted(self) -> Self {
        self.greeted_in(VERSION)
    }

    /// Shakes hands in a version of the protocol.
    pub(crate) fn greeted_in(self, version: &str) -> Self {
        self.greeted_as("test", version)
    }

    fn greeted_as(mut self, name: &str, version: &str) -> Self {
        let params = json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": name, "version": "0"},
        });
        self.hello = self.request("initialize", params);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        self
    }

    /// Closes the server's standard output.
    pub(crate) fn stop_listening(&mut self) {
        self.from_server = None;
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    pub(crate) fn send_line(&mut self, line: &[u8]) {
        let to_server = self.to_server.as_mut().unwrap();
        to_server.write_all(line).unwrap();
        to_server.write_all(b"\n").unwrap();
        to_server.flush().unwrap();
    }

    /// The next line of the server, or nothing at its end.
    pub(crate) fn receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        let size = self.from_server.as_mut()?.read_line(&mut line).unwrap();
        (size > 0).then(|| serde_json::from_str(&line).unwrap())
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}));
        let mut reply = self.receive().unwrap();
        assert_eq!(reply["id"], 7, "{reply}");
        reply["result"].take()
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        let content = result["content"].as_array().unwrap();
        assert_eq!((content.len(), &content[0]["type"]), (1, &json!("text")), "{result}");
        let text: Value = serde_json::from_str(content[0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, result["structuredContent"], "text and structure say the same");
        assert_eq!(result["isError"] == true, text["ok"] == false, "{result}");
        text
    }

    /// A call that succeeds, with at least these fields in its answer.
    pub(crate) fn gives(&mut self, tool: &str, arguments: Value, fields: &[&str]) -> Value {
        let answer = self.call(tool, arguments);
        assert_eq!(answer["ok"], true, "{tool}: {answer}");
        for field in fields {
            assert!(answer.get(field).is_some(), "{tool}: no {field} in {answer}");
        }
        answer
    }

    /// A call that fails with this `error/reason_hint/suggested_action` and these facts.
    pub(crate) fn fails(
        &mut self,
        tool: &str,
        arguments: Value,
        kind: &str,
        facts: Value,
    ) -> Value {
        let answer = self.call(tool, arguments.clone());
        assert_envelope(&answer);
        let word = |name: &str| answer[name].as_str().unwrap().to_owned();
        let found = [word("error"), word("reason_hint"), word("suggested_action")].join("/");
        assert_eq!(found, kind, "{tool} {arguments}: {answer}");
        for (name, fact) in facts.as_object().unwrap() {
            assert_eq!(answer["context"][name], *fact, "{tool} {arguments}: {name} in {answer}");
        }
        let canonical = tool.replacen('_', ".", 1);
        assert!([tool, &canonical].map(Value::from).contains(&answer["context"]["tool"]));
        answer
    }

    /// Ends the input and gives what the server still said, and its exit code.
    pub(crate) fn hang_up(mut self) -> (Vec<Value>, i32) {
        drop(self.to_server.take());
        let rest = std::iter::from_fn(|| self.receive()).collect();
        (rest, self.child.wait().unwrap().code().unwrap())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.to_server.take());
        let _ = self.child.wait();
    }
}
