//! Durable, verified, journaled file writes for coding agents.
