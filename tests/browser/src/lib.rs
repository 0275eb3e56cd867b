//! End-to-end tests of the built page in a real browser.
