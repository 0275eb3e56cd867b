//! Where things are in the project, and what its files say.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::step::{Failure, Result};

/// The project's folder.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

pub fn dist() -> PathBuf {
    root().join("dist")
}

/// The folder of the tools that only this project uses.
pub fn tools() -> PathBuf {
    root().join(".tools")
}

/// The folder that Cargo builds in.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |folder| root().join(folder))
}

/// `PATH` with the project's own tools first.
pub fn path() -> OsString {
    let own = [tools().join("bin"), root().join("node_modules/.bin")];
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let folders = own.into_iter().chain(std::env::split_paths(&inherited));
    std::env::join_paths(folders).unwrap_or(inherited)
}

/// A command in the project's folder that finds the project's tools.
pub fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root()).env("PATH", path());
    command
}

pub fn cargo() -> Command {
    command("cargo")
}

pub fn read(step: &str, file: &Path) -> Result<String> {
    std::fs::read_to_string(file).map_err(|error| unreadable(step, file, &error))
}

pub fn write(step: &str, file: &Path, text: &str) -> Result<()> {
    std::fs::write(file, text).map_err(|error| unreadable(step, file, &error))
}

pub fn unreadable(step: &str, file: &Path, error: &io::Error) -> Failure {
    Failure::new(step, format!("{}: {error}", file.display()))
}

/// The version that `Cargo.lock` holds of a package.
pub fn locked_version(package: &str) -> Result<String> {
    let step = "read Cargo.lock";
    let lock = read(step, &root().join("Cargo.lock"))?;
    version_in(&lock, package).ok_or_else(|| {
        Failure::new(step, format!("no package {package} in it"))
            .cure("`cargo generate-lockfile` and look at what changed")
    })
}

fn version_in(lock: &str, package: &str) -> Option<String> {
    let mut lines = lock.lines().skip_while(|line| *line != format!("name = {package:?}"));
    lines.next()?;
    lines.next()?.strip_prefix("version = \"")?.strip_suffix('"').map(str::to_owned)
}

/// All files under a folder (or the file itself), sorted, so that two runs see the same order.
pub fn files(start: &Path) -> io::Result<Vec<PathBuf>> {
    if start.is_file() {
        return Ok(vec![start.to_path_buf()]);
    }
    let mut found = Vec::new();
    let mut folders = vec![start.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

/// A fingerprint of names and contents (FNV-1a, 64 bits): it tells changes apart, it does not protect from anyone.
#[derive(Debug)]
pub struct Fingerprint(u64);

impl Fingerprint {
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    pub fn add_file(&mut self, file: &Path) -> io::Result<()> {
        self.add(file.to_string_lossy().as_bytes());
        self.add(&std::fs::read(file)?);
        Ok(())
    }

    pub fn hex(&self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locked_version_is_found() {
        let lock =
            "[[package]]\nname = \"a\"\nversion = \"1.2.3\"\n\n[[package]]\nname = \"ab\"\nversion = \"4.5.6\"\n";
        assert_eq!(version_in(lock, "ab").as_deref(), Some("4.5.6"));
        assert_eq!(version_in(lock, "a").as_deref(), Some("1.2.3"));
        assert_eq!(version_in(lock, "b"), None);
    }

    #[test]
    fn the_fingerprint_is_the_published_function() {
        let mut print = Fingerprint::new();
        print.add(b"a");
        assert_eq!(print.hex(), "af63dc4c8601ec8c");
    }
}
