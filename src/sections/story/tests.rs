//! The story against what was known before it was written.
