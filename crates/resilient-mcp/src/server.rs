//! The server: the tools, what it says about itself, and how one call is made.

mod calls;
mod handler;
mod looks;
mod ready;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use resilient_core::Progress;
use resilient_core::figures;
use resilient_core::near::nearest;
use rmcp::model::{
    CallToolResult, Implementation, MetaObject, ProtocolVersion, Tool as ListedTool,
    ToolAnnotations,
};
use serde_json::{Map, Value};
use tokio::sync::{Semaphore, watch};

use crate::args;
use crate::busy::Busy;
use crate::call::Call;
use crate::deeds::ways;
use crate::hints;
use crate::instructions;
use crate::message::Flaw;
use crate::names::{ToolNames, may_lead_to, means, meant, related};
use crate::reply::{result_of, result_with};
use crate::schema::Schema;
use crate::seam::{
    Answer, By, Envelope, ErrorKind, Notice, ReasonHint, SuggestedAction, Workspace,
};
use crate::session::{Caller, Session};
use crate::tally::{Tallied, Tally};
use crate::tools::{Effect, Offer, ToolSpec, core};
use crate::updates::Updates;

pub use self::ready::Unready;

/// The option for the set whose tools stand in place of those of the others.
const OTHER_TOOLS: &str = "--tools core";

/// What to do about a tool that no tool comes near to.
pub const ONE_OF_LISTED: &str = "call one of the tools that this server lists";

/// So many calls of all clients run at once; the others wait for their turn.
///
/// Each holds a thread while it runs. Writes that run together share their waits for the disk, and gain nothing from more.
const RUNNING_MAX: u32 = 128;

/// The MCP server over one workspace, as one client has it; cheap to clone.
#[derive(Debug, Clone)]
pub struct Server {
    inner: Arc<Inner>,
    session: Arc<Session>,
}

#[derive(Debug)]
struct Inner {
    workspace: Workspace,
    names: ToolNames,
    offer: Offer,
    tools: Vec<Listed>,
    /// The calls that are not answered yet, those included that wait for their turn.
    calls: Busy,
    tally: Tally,
    running: Arc<Semaphore>,
    updates: Updates,
}

#[derive(Debug)]
struct Listed {
    spec: ToolSpec,
    /// Whether it is in the list; calls of it are answered in any case.
    is_listed: bool,
    schema: OnceLock<Schema>,
}

impl Listed {
    fn schema(&self) -> &Schema {
        self.schema.get_or_init(self.spec.schema)
    }
}

impl Server {
    /// A server with the tools of the Python server. It touches no disk before the first call.
    pub fn new(workspace: Workspace, names: ToolNames) -> Self {
        Self::offering(workspace, names, Offer::default())
    }

    /// A server with these tools.
    pub fn offering(workspace: Workspace, names: ToolNames, offer: Offer) -> Self {
        Self::of(workspace, names, offer, Vec::new())
    }

    /// A server with the tools of the Python server and some more, for tests.
    #[doc(hidden)]
    pub fn with_tools(workspace: Workspace, names: ToolNames, more: Vec<ToolSpec>) -> Self {
        Self::of(workspace, names, Offer::default(), more)
    }

    fn of(workspace: Workspace, names: ToolNames, offer: Offer, more: Vec<ToolSpec>) -> Self {
        let lists: Vec<ToolSpec> = offer.lists().into_iter().chain(more.clone()).collect();
        let is_listed = |name| lists.iter().any(|spec| spec.name == name);
        let tools = offer
            .answers()
            .into_iter()
            .chain(more)
            .map(|spec| Listed { spec, is_listed: is_listed(spec.name), schema: OnceLock::new() })
            .collect();
        let running = Arc::new(Semaphore::new(RUNNING_MAX as usize));
        let inner = Arc::new(Inner {
            workspace,
            names,
            offer,
            tools,
            calls: Busy::default(),
            tally: Tally::default(),
            running,
            updates: Updates::default(),
        });
        Self { inner, session: Arc::default() }
    }

    /// The same server for another client, which has retries and an order of calls of its own.
    #[must_use]
    pub fn for_caller(&self, caller: Caller) -> Self {
        Self { inner: Arc::clone(&self.inner), session: Arc::new(Session::of(caller)) }
    }

    /// What was called so far, by all clients.
    #[must_use]
    pub fn tallied(&self) -> Tallied {
        self.inner.tally.so_far()
    }

    /// What was committed so far in numbers, and the length of the journal; nothing of a server that only reads.
    #[must_use]
    pub fn figures(&self) -> Option<(figures::Seen, u64)> {
        if self.inner.offer == Offer::Read {
            return None;
        }
        let workspace = &self.inner.workspace;
        Some((workspace.figures(), workspace.journal_bytes().ok()?))
    }

    /// Whether calls can be made: the roots are there, the policy can be used, and the journal can be read.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self) -> Result<(), Unready> {
        Unready::none(&self.inner.workspace, self.inner.offer)
    }

    /// The calls of all clients that are not answered yet.
    #[must_use]
    pub fn calls(&self) -> &Busy {
        &self.inner.calls
    }

    /// Calls a tool by either of its names, as a client would, and gives its structured content. For the
    /// command line: the journal calls it the origin. The arguments were parsed from the text `sent`, which may show a key
    /// twice.
    ///
    /// # Errors
    /// The tool failed: the value is the envelope.
    pub fn call(&self, tool: &str, arguments: Value, sent: &str) -> Result<Value, Value> {
        let (arguments, flaw) = match arguments {
            Value::Object(arguments) => (arguments, Flaw::of_arguments(sent.as_bytes())),
            _ => (Map::new(), Some(Flaw::NotAnObject)),
        };
        let result = self.inner.call(&self.session, tool, arguments, flaw, &Arc::default());
        let content = result.structured_content.unwrap_or_default();
        if result.is_error == Some(true) { Err(content) } else { Ok(content) }
    }

    /// The names of the tools that it lists.
    #[must_use]
    pub fn listed_names(&self) -> Vec<String> {
        self.inner.listed_names()
    }

    /// Forgets the order of this client's calls, none of which runs.
    pub fn rest(&self) {
        self.session.turns.forget();
    }

    /// Ends the subscriptions of all clients: nothing more is told unasked.
    pub fn end_subscriptions(&self) {
        self.inner.updates.end();
    }

    /// Where the end of the client's input is told.
    pub(crate) fn hung_up(&self) -> Arc<watch::Sender<bool>> {
        Arc::clone(&self.session.hung_up)
    }

    /// The tools as clients see them.
    #[doc(hidden)]
    pub fn listed_tools(&self) -> Vec<ListedTool> {
        self.inner.listed().map(|tool| listed(tool, self.inner.names)).collect()
    }
}

impl Inner {
    fn find(&self, called: &str) -> Option<&Listed> {
        self.tools.iter().find(|tool| means(called, tool.spec.name))
    }

    fn listed(&self) -> impl Iterator<Item = &Listed> {
        self.tools.iter().filter(|tool| tool.is_listed)
    }

    fn lists(&self, name: &str) -> bool {
        self.listed().any(|tool| means(name, tool.spec.name))
    }

    /// The names of the tools that are listed, as they are listed.
    fn listed_names(&self) -> Vec<String> {
        self.listed().map(|tool| self.names.listed(tool.spec.name).into_owned()).collect()
    }

    fn canonical<'a>(&self, called: &'a str) -> &'a str {
        self.find(called).map_or(called, |tool| tool.spec.name)
    }

    fn call(
        &self,
        session: &Session,
        called: &str,
        arguments: Map<String, Value>,
        flaw: Option<Flaw>,
        call: &Arc<Call>,
    ) -> CallToolResult {
        match self.find(called) {
            None => result_of(called, Err(self.unknown_tool(called))),
            Some(tool) => {
                let answer = self.answer(session, tool, arguments, flaw, call);
                let answer = answer.map_err(|refused| self.in_our_names(refused, called));
                if tool.spec.effect != Effect::Reads
                    && let Ok(written) = &answer
                {
                    self.updates.changed(self.workspace.roots(), written);
                }
                result_with(tool.spec.name, answer, &self.take_notices())
            }
        }
    }

    /// What recovery did and nobody was told yet.
    fn take_notices(&self) -> Vec<Notice> {
        let notices = self.workspace.take_notices().notices();
        if !notices.is_empty() {
            self.updates.recovered(&notices);
        }
        notices
    }

    fn instructions(&self) -> String {
        self.names.spell(&instructions::of(self.offer))
    }

    fn identity(&self) -> Implementation {
        let name = if self.offer == Offer::Read { "resilient-read" } else { "resilient-write" };
        Implementation::new(name, env!("CARGO_PKG_VERSION"))
    }

    /// Who answered: without a handshake, each result says so.
    fn signature(&self) -> MetaObject {
        let mut meta = MetaObject::default();
        if let Ok(identity) = serde_json::to_value(self.identity()) {
            meta.insert("io.modelcontextprotocol/serverInfo".to_owned(), identity);
        }
        meta
    }

    /// A result as a client of this protocol version takes it.
    fn shaped(&self, mut result: CallToolResult, era: Option<ProtocolVersion>) -> CallToolResult {
        if !is_since(era.as_ref(), &ProtocolVersion::V_2025_06_18) {
            // What does not know it passes all of the result on, and the model pays for the answer twice.
            result.structured_content = None;
        }
        if is_since(era.as_ref(), &ProtocolVersion::V_2026_07_28) {
            result.meta = Some(self.signature());
        } else {
            result.result_type = None;
        }
        result
    }

    fn unknown_tool(&self, called: &str) -> Box<Envelope> {
        let hint = match self.offer {
            Offer::Read => ReasonHint::UnknownTool,
            Offer::Core | Offer::Paper { .. } | Offer::Full => ReasonHint::Unknown,
        };
        let listed = self.listed_names();
        let of_other_set = self.elsewhere(called).is_some();
        // A tool of another set is no name to guess at, and the tools that read have no verbs.
        let ways = ways(called).filter(|_| !of_other_set && self.offer != Offer::Read);
        let is_here = |tool: Option<&str>| tool.is_none_or(|tool| self.lists(tool));
        let way = ways.and_then(|ways| ways.iter().find(|way| is_here(way.tool)));
        if let Some(way) = way.filter(|way| !way.how.is_empty()) {
            return Envelope::new(ErrorKind::PolicyViolation, hint, SuggestedAction::Abort)
                .with("unknown_tool", called)
                .with("hint", self.names.spell(way.how));
        }
        let meant: Option<Vec<&'static str>> = match (meant(called), ways) {
            (Some(tools), _) => Some(tools.to_vec()),
            (None, Some(ways)) => Some(ways.iter().filter_map(|way| way.tool).collect()),
            (None, None) => None,
        };
        let near = match (self.instead(called), &meant) {
            (Some(instead), _) => vec![instead],
            (None, Some(tools)) => {
                let tool = tools.iter().find(|tool| self.lists(tool));
                tool.map(|tool| self.names.listed(tool).into_owned()).into_iter().collect()
            }
            (None, None) => {
                let known = listed.iter().map(String::as_str);
                let near = nearest(called, known.filter(|tool| may_lead_to(called, tool)));
                match near.is_empty() && !of_other_set {
                    true => related(called, &listed).into_iter().map(str::to_owned).collect(),
                    false => near,
                }
            }
        };
        let here = near.first().map(|near| format!("call {near} if that is meant"));
        let elsewhere =
            self.elsewhere(called).map(|option| (option, "it".to_owned())).or_else(|| {
                let tools = meant.as_ref().filter(|_| near.is_empty())?;
                let sets = tools.iter().filter_map(|tool| Some((self.elsewhere(tool)?, tool)));
                // A set that keeps the tools of this one is better than one that has others in their place.
                let (option, tool) = sets.min_by_key(|(option, _)| *option == OTHER_TOOLS)?;
                Some((option, self.names.listed(tool).into_owned()))
            });
        let elsewhere = elsewhere.map(|(option, tool)| {
            format!("ask the user to start the server with {option}, which has {tool}")
        });
        let (what, action) = match (here, elsewhere) {
            (Some(here), Some(elsewhere)) => {
                (format!("{here}, or {elsewhere}"), SuggestedAction::Abort)
            }
            (Some(here), None) => (here, SuggestedAction::Abort),
            (None, Some(elsewhere)) => (elsewhere, SuggestedAction::AskUser),
            (None, None) => (ONE_OF_LISTED.to_owned(), SuggestedAction::Abort),
        };
        let mut refused = Envelope::new(ErrorKind::PolicyViolation, hint, action)
            .with("unknown_tool", called)
            .with("hint", what);
        if !near.is_empty() {
            refused = refused.with("nearest_names", near);
        }
        if self.offer == Offer::Read {
            refused.message = Some(format!("there is no tool {called:?}"));
        }
        refused
    }

    /// The listed tool that does what a tool of another set does.
    fn instead(&self, called: &str) -> Option<String> {
        let pairs = core::INSTEAD.iter();
        let instead = match self.offer {
            Offer::Core => {
                pairs.map(|(theirs, ours)| (theirs, ours)).find(|it| means(called, it.0))
            }
            Offer::Paper { .. } => pairs
                .map(|(theirs, ours)| (ours, theirs))
                .find(|(ours, theirs)| means(called, ours) && self.lists(theirs)),
            Offer::Full | Offer::Read => None,
        };
        instead.map(|(_, name)| self.names.spell(name))
    }

    /// The option that a server is started with to have a tool that this one does not list.
    fn elsewhere(&self, tool: &str) -> Option<&'static str> {
        let has = |offer: Offer| offer.lists().iter().any(|it| means(tool, it.name));
        match self.offer {
            Offer::Read => None,
            Offer::Paper { with_read: false } if has(Offer::Paper { with_read: true }) => {
                Some("--with-read")
            }
            _ if has(Offer::Full) => Some("--tools full"),
            _ if has(Offer::Core) => Some(OTHER_TOOLS),
            _ => None,
        }
    }

    fn answer(
        &self,
        session: &Session,
        tool: &Listed,
        arguments: Map<String, Value>,
        flaw: Option<Flaw>,
        call: &Arc<Call>,
    ) -> Answer {
        let schema = &tool.schema().input;
        let if_unmade = (tool.spec.if_unmade)(&arguments);
        let arguments = match flaw {
            None => {
                let spec = &tool.spec;
                args::check(spec.name, schema, spec.instead_of_content, spec.texts, arguments)
            }
            Some(Flaw::BrokenText) => Err(args::broken_text(schema, tool.spec.texts)),
            Some(Flaw::NotAnObject) => Err(args::not_an_object()),
            Some(Flaw::LoneSurrogate) => Err(args::unfit(
                "lone_surrogate",
                "write both halves of the surrogate pair, or the character itself",
            )),
            Some(Flaw::NotUtf8) => Err(args::unfit("not_utf8", "send the call as UTF-8")),
            Some(Flaw::Repeated { argument, key }) => Err(args::repeated(&argument, &key)),
            Some(Flaw::MayNotWrite) => Err(may_not_write()),
        };
        let by = || self.by(session, tool, call.client.clone(), call.is_remote);
        let writes = tool.spec.effect != Effect::Reads;
        let judges_all = || writes && self.workspace.judges_all();
        let arguments = arguments.and_then(|arguments| {
            let key = session.budget.key(tool.spec.name, &arguments, judges_all);
            match key.and_then(|key| session.budget.exhausted(key)) {
                None => Ok((arguments, key)),
                Some(refused) => Err(refused),
            }
        });
        let (arguments, key) = arguments.inspect_err(|_| {
            if let Some(act) = if_unmade {
                act(&self.workspace.for_caller(by()));
            }
        })?;
        let mut workspace = self.workspace.for_caller(by());
        if let Some(cancelled) = call.cancelled.as_ref().filter(|_| writes) {
            workspace = workspace.unless(cancelled.clone());
        }
        workspace = workspace.watched_by(Arc::clone(call) as Arc<dyn Progress>);
        let mut answer = (tool.spec.run)(&workspace, arguments);
        if let Err(refused) = &mut answer {
            let properties = schema.get("properties");
            hints::fit_tool(refused, |name| properties.is_some_and(|all| all.get(name).is_some()));
        }
        let Some(key) = key else { return answer };
        session.budget.settle(key, &mut answer);
        answer
    }

    /// What is to be done about a call that its client takes back before it is made, if anything.
    fn taken_back(
        self: &Arc<Self>,
        session: &Session,
        name: &str,
        arguments: &Map<String, Value>,
        client: Option<String>,
    ) -> Option<impl FnOnce() + Send + use<>> {
        let tool = self.find(name)?;
        let act = (tool.spec.if_unmade)(arguments)?;
        let workspace = self.workspace.for_caller(self.by(session, tool, client, true));
        Some(move || act(&workspace))
    }

    fn by(&self, session: &Session, tool: &Listed, client: Option<String>, is_remote: bool) -> By {
        By {
            client,
            key: None,
            origin: Some(if is_remote { "server" } else { "cli" }.to_owned()),
            session: Some(session.id(&self.workspace)),
            tool: Some(tool.spec.name.to_owned()),
        }
    }

    /// Hints name other tools. They use the names that the client knows: that of the tool that it called is one.
    fn in_our_names(&self, mut refused: Box<Envelope>, called: &str) -> Box<Envelope> {
        let called = self.canonical(called);
        hints::fit(&mut refused, self.names, |name| self.lists(name) || means(name, called));
        refused
    }
}

/// Whether a protocol version is known, and is this one or a later one.
fn is_since(era: Option<&ProtocolVersion>, version: &ProtocolVersion) -> bool {
    era.is_some_and(|era| era >= version)
}

/// The name under which a call is counted: clients do not choose it.
fn tool_name(inner: &Inner, called: &str) -> &'static str {
    inner.find(called).map_or("unknown", |tool| tool.spec.name)
}

fn panicked() -> Box<Envelope> {
    Envelope::new(ErrorKind::WriteCorruption, ReasonHint::Unknown, SuggestedAction::Abort)
        .with("reason", "internal_panic")
        .with(
            "hint",
            "read the file to see what it holds, then try once more and report the fault if it comes \
             back",
        )
}

fn may_not_write() -> Box<Envelope> {
    Envelope::new(ErrorKind::PolicyViolation, ReasonHint::Permission, SuggestedAction::AskUser)
        .with("reason", "token_may_not_write")
        .with("hint", "ask the user for a token with the scope write; this one may only read")
}

fn listed(tool: &Listed, names: ToolNames) -> ListedTool {
    let Schema { description, input } = tool.schema();
    let description = Cow::<str>::Owned(names.spell(description));
    let mut input = input.clone();
    if names == ToolNames::Dotted
        && let Some(Value::Object(properties)) = input.get_mut("properties")
    {
        for property in properties.values_mut() {
            if let Some(Value::String(text)) = property.get_mut("description") {
                *text = names.spell(text);
            }
        }
    }
    ListedTool::new(names.listed(tool.spec.name), description, input)
        .with_title(tool.spec.title)
        .with_annotations(annotations(tool.spec.effect))
}

fn annotations(effect: Effect) -> ToolAnnotations {
    let (read_only, destructive, idempotent) = match effect {
        Effect::Reads => (true, false, true),
        Effect::Adds => (false, false, false),
        Effect::Sets => (false, true, true),
        Effect::Changes => (false, true, false),
    };
    ToolAnnotations::new()
        .read_only(read_only)
        .destructive(destructive)
        .idempotent(idempotent)
        .open_world(false)
}
