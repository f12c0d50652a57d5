//! The MCP server over the library.
