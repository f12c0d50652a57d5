//! What is looked at beside the tools: resources, prompts, completions. Each look runs on a thread of its own, as a call
//! does, and counts among the calls that run at once.

use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::model::{
    CompletionInfo, ErrorCode, GetPromptRequestParams, GetPromptResult, PromptMessage, Reference,
    ResourceContents, Role,
};
use serde_json::json;

use super::{Inner, Server};
use crate::completion::{Argument, complete};
use crate::prompts::{self, HANDOFF, RECOVERY};
use crate::resources;
use crate::seam::{Envelope, ErrorKind};
use crate::tools::Offer;
use crate::updates::{Subject, resolved};
use crate::uri::{FILE_TEMPLATE, Named};

/// The longest address that is watched: a path has at most 4,096 bytes, and each may be written as three characters.
const WATCHED_LEN_MAX: usize = 16 << 10;

impl Server {
    /// Makes a look on a thread where it may wait for the disk.
    async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Inner) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let inner = Arc::clone(&self.inner);
        let under_way = inner.calls.begin();
        let running = Arc::clone(&inner.running).acquire_owned().await;
        let looked = tokio::task::spawn_blocking(move || {
            let _held = (running, under_way);
            look(&inner)
        });
        looked.await.map_err(|_| {
            ErrorData::internal_error("the server failed here; report the fault", None)
        })
    }

    pub(super) async fn read(&self, uri: String) -> Result<ResourceContents, ErrorData> {
        let named = self.inner.named(&uri)?;
        self.look(move |inner| {
            let read = resources::read(&inner.workspace, &uri, &named);
            read.map_err(|refused| inner.as_error(refused, Some(&uri)))
        })
        .await?
    }

    /// What a client watches that watches this address. A path that no read takes is refused; a file need not be there yet.
    pub(super) async fn subject(&self, uri: String) -> Result<Subject, ErrorData> {
        if uri.len() > WATCHED_LEN_MAX {
            let text = format!("the address of a resource has at most {WATCHED_LEN_MAX} bytes");
            return Err(ErrorData::invalid_params(text, None));
        }
        let named = self.inner.named(&uri)?;
        self.look(move |inner| {
            if let Named::File(path) = &named
                && let Some(refused) = resources::refusal(&inner.workspace, path)
            {
                return Err(inner.as_error(refused, Some(&uri)));
            }
            let roots = inner.workspace.roots();
            Ok(match named {
                Named::Journal => Subject::Journal,
                Named::Handoff => {
                    Subject::File(resolved(roots, resilient_core::handoff::DEFAULT_PATH))
                }
                Named::File(path) => Subject::File(resolved(roots, &path)),
            })
        })
        .await?
    }

    pub(super) async fn prompt(
        &self,
        request: GetPromptRequestParams,
    ) -> Result<GetPromptResult, ErrorData> {
        let listed = self.inner.prompts().into_iter().find(|it| it.name == request.name);
        let Some(listed) = listed else { return Err(no_prompt(&request.name)) };
        let arguments = request.arguments.unwrap_or_default();
        let argument = move |name: &str| {
            arguments.get(name)?.as_str().filter(|it| !it.is_empty()).map(str::to_owned)
        };
        let text = self.look(move |inner| {
            let workspace = &inner.workspace;
            let text = match listed.name.as_str() {
                HANDOFF => prompts::take_over(workspace, argument("path").as_deref()),
                _ => prompts::after_a_crash(workspace, argument("session").as_deref(), || {
                    inner.take_notices()
                }),
            };
            let text = text.map_err(|refused| inner.as_error(refused, None))?;
            Ok((listed.description, text))
        });
        let (description, text) = text.await??;
        let mut result = GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]);
        result.description = description;
        Ok(result)
    }

    pub(super) async fn complete_argument(
        &self,
        of: &Reference,
        argument: &str,
        typed: String,
    ) -> Result<CompletionInfo, ErrorData> {
        let what = self.inner.completed(of, argument)?;
        self.look(move |inner| complete(&inner.workspace, what, &typed)).await
    }
}

impl Inner {
    /// Whether the server writes: what only reads has no journal and nothing to take over.
    pub(super) fn writes(&self) -> bool {
        self.offer != Offer::Read
    }

    pub(super) fn prompts(&self) -> Vec<rmcp::model::Prompt> {
        if self.writes() { prompts::listed() } else { Vec::new() }
    }

    pub(super) fn resources(&self) -> Vec<rmcp::model::Resource> {
        if self.writes() { resources::listed() } else { Vec::new() }
    }

    fn named(&self, uri: &str) -> Result<Named, ErrorData> {
        let named = Named::of(uri).filter(|named| self.writes() || matches!(named, Named::File(_)));
        named.ok_or_else(|| {
            let text = if self.writes() {
                "there is no such resource; there are rw://journal, rw://handoff and rw://file/PATH"
            } else {
                "there is no such resource; there are those of files, rw://file/PATH"
            };
            ErrorData::resource_not_found(text, Some(json!({"uri": uri})))
        })
    }

    fn completed(&self, of: &Reference, argument: &str) -> Result<Argument, ErrorData> {
        match of {
            Reference::Resource(template) if template.uri == FILE_TEMPLATE => match argument {
                "path" => Ok(Argument::Path),
                _ => Err(no_argument(argument)),
            },
            Reference::Resource(resource) => match self.named(&resource.uri)? {
                Named::File(_) => Ok(Argument::Path),
                Named::Journal | Named::Handoff => Ok(Argument::Free),
            },
            Reference::Prompt(prompt) => match (prompt.name.as_str(), argument) {
                _ if !self.prompts().iter().any(|it| it.name == prompt.name) => {
                    Err(no_prompt(&prompt.name))
                }
                (HANDOFF, "path") => Ok(Argument::Path),
                (RECOVERY, "session") => Ok(Argument::Session),
                _ => Err(no_argument(argument)),
            },
            _ => Err(no_argument(argument)),
        }
    }

    /// A refusal as an error of the protocol: what is not a call has no other.
    fn as_error(&self, refused: Box<Envelope>, uri: Option<&str>) -> ErrorData {
        let refused = self.in_our_names(refused, "");
        let of = |key| refused.context.get(key).and_then(serde_json::Value::as_str);
        let what = refused.message.as_deref().or_else(|| of("reason")).unwrap_or("it was refused");
        let message = match of("hint") {
            Some(hint) => format!("{what}: {hint}"),
            None => what.to_owned(),
        };
        let code = match refused.error {
            ErrorKind::NotFound | ErrorKind::StalePrecondition => ErrorCode::RESOURCE_NOT_FOUND,
            ErrorKind::WriteCorruption | ErrorKind::QuotaExceeded => ErrorCode::INTERNAL_ERROR,
            _ => ErrorCode::INVALID_PARAMS,
        };
        let code = if uri.is_none() && code == ErrorCode::RESOURCE_NOT_FOUND {
            ErrorCode::INVALID_PARAMS
        } else {
            code
        };
        let mut data = serde_json::to_value(&refused).unwrap_or_default();
        if let (Some(uri), Some(data)) = (uri, data.as_object_mut()) {
            data.insert("uri".to_owned(), uri.into());
        }
        ErrorData::new(code, message, Some(data))
    }
}

fn no_prompt(name: &str) -> ErrorData {
    let text = format!("there is no prompt {name:?}; ask for prompts/list");
    ErrorData::invalid_params(text, None)
}

fn no_argument(name: &str) -> ErrorData {
    ErrorData::invalid_params(format!("there is no argument {name:?} to be completed"), None)
}
