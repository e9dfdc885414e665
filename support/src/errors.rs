//! Which errors are the user's and which are ours.
//!
//! Every error that reaches the command line is about the input (exit code 2) unless an
//! [`Internal`] is somewhere in its chain (exit code 1).

/// A fault of the program itself: an answer that its own checker refuses, a broken invariant.
#[derive(Debug, thiserror::Error)]
#[error("internal error: {0} (this is a bug in cairn, not in your input)")]
pub struct Internal(String);

impl Internal {
    /// An internal error that says what went wrong.
    pub fn new(message: impl Into<String>) -> Self {
        Internal(message.into())
    }
}

/// The exit code of an error: 1 for an internal fault, 2 for bad input.
pub fn exit_code(error: &anyhow::Error) -> u8 {
    if error.chain().any(|cause| cause.is::<Internal>()) { 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn internal_faults_are_found_under_their_context() {
        let fault: anyhow::Result<()> = Err(Internal::new("a proof was refused").into());
        assert_eq!(exit_code(&fault.context("seed 3").unwrap_err()), 1);
        assert_eq!(exit_code(&anyhow::anyhow!("no such file")), 2);
    }
}
