//! The least that a server on the protocol's library can be: a floor's system calls behind `rmcp`.
//!
//! Beside [`crate::bare`] it shows what the protocol costs whatever the server does with a call:
//! reading the message, finding the request's handler, writing the result. Everything is chosen so
//! that it is as quick as it gets: one thread, no schema, no check, the call in the thread that
//! reads.

use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use clap::Args;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::json;

use crate::bare::{FILE, Floor};
use crate::running::Running;
use crate::setting::Setting;
use crate::writers::Writer;

/// What the process is told that does the work.
#[derive(Debug, Args)]
pub(crate) struct Sdk {
    floor: Floor,
}

impl Sdk {
    /// Writes the content of every call to a file in the current directory, and answers.
    ///
    /// # Errors
    /// The disk refuses or a pipe breaks.
    pub(crate) fn run(&self) -> Result<()> {
        let server = Server { writer: Mutex::new(self.floor.writer()?) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            server.serve(rmcp::transport::stdio_pipes()).await?.waiting().await?;
            Ok(())
        })
    }
}

/// Starts one that takes our server's calls.
///
/// # Errors
/// The process cannot be started or does not answer.
pub(crate) fn through_sdk(name: &str, floor: Floor, setting: &Setting) -> Result<Running> {
    Running::start(&floor.program(name.to_owned(), "sdk")?, setting)
}

struct Server {
    writer: Mutex<Box<dyn Writer + Send>>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let content = arguments.get("content").and_then(|content| content.as_str());
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer
            .write(FILE, content.unwrap_or_default().as_bytes())
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        // As long as our server's answer.
        let answer = json!({
            "ok": true,
            "path": FILE,
            "abs_path": "/tmp/rw-bench-abcdef/file.txt",
            "bytes": 1024,
            "sha256": "0".repeat(64),
            "journal_id": "wj_0123456789abcdef0123",
            "mode_applied": "append",
            "wrote_at": "2026-01-01T00:00:00Z",
        });
        Ok(CallToolResult::structured(answer).into())
    }
}
