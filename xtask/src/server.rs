//! A plain static file server, as simple as any host of the page: files, MIME types, nothing else.
//!
//! It answers GET and HEAD on 127.0.0.1 under a chosen path, one thread a connection, and never leaves its folder. Tests
//! may ask it for trouble: files that do not arrive, a script before the page's own, no scripts at all. Where a page's
//! speed is measured it compresses as hosts do.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use flate2::Compression;
use flate2::read::GzEncoder;
use kv_budget::percent::{self, Plus};

/// No request of a browser for a page comes near it.
const LONGEST_HEAD: u64 = 64 * 1024;
const PATIENCE: Duration = Duration::from_secs(10);

/// A running server; it ends with the process.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    prefix: String,
    site: Arc<Site>,
    thread: JoinHandle<()>,
}

/// What is served, and where.
#[derive(Debug)]
struct Site {
    folder: PathBuf,
    prefix: String,
    tricks: Mutex<Tricks>,
    /// Files as gzip, each compressed once; `None` where they go out as they are.
    small: Mutex<Option<Small>>,
}

type Small = HashMap<PathBuf, Arc<[u8]>>;

/// What tests ask for, and what they want to know.
#[derive(Debug, Default)]
struct Tricks {
    /// Stands in every page before anything of its own, so also before its policy.
    script: String,
    /// Files with these endings never arrive.
    blocked: Vec<String>,
    /// Files with this ending arrive this much later.
    late: Option<(String, Duration)>,
    without_scripts: bool,
    /// Files with this ending arrive as somebody else made them.
    altered: Option<String>,
    asked: Vec<String>,
    heard: Vec<String>,
}

/// Where the injected script tells what it heard.
const HEARD: &str = "/heard?";

impl Server {
    /// Serves `folder` under `prefix` (which starts and ends with `/`) on 127.0.0.1; port 0 takes any free one.
    ///
    /// # Errors
    /// If the folder does not exist or the port is taken.
    pub fn start(folder: &Path, prefix: &str, port: u16) -> io::Result<Self> {
        let site = Arc::new(Site {
            folder: folder.canonicalize()?,
            prefix: prefix.to_owned(),
            tricks: Mutex::default(),
            small: Mutex::default(),
        });
        let served = Arc::clone(&site);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let site = Arc::clone(&served);
                // A reader that goes away in the middle is no trouble of the server's.
                std::thread::spawn(move || site.answer(&stream).ok());
            }
        });
        Ok(Self { address, prefix: prefix.to_owned(), site, thread })
    }

    /// The address of the served folder, with its last slash.
    pub fn url(&self) -> String {
        format!("{}{}", self.origin(), self.prefix)
    }

    /// Scheme, host and port.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on this script, too, stands before everything in each page.
    pub fn inject(&self, script: &str) {
        let mut tricks = self.site.tricks();
        tricks.script.push_str(script);
        tricks.script.push(';');
    }

    /// From now on files with these endings, and no others, do not arrive.
    pub fn block(&self, endings: &[&str]) {
        self.site.tricks().blocked = endings.iter().map(|ending| (*ending).to_owned()).collect();
    }

    /// From now on files with this ending arrive this much later.
    pub fn hold(&self, ending: &str, time: Duration) {
        self.site.tricks().late = Some((ending.to_owned(), time));
    }

    /// From now on browsers are told whether pages may run scripts.
    pub fn allow_scripts(&self, allowed: bool) {
        self.site.tricks().without_scripts = !allowed;
    }

    /// From now on files with this ending, programs or scripts, have something more at their end: they would still run, but
    /// are not the page's.
    pub fn alter(&self, ending: &str) {
        self.site.tricks().altered = Some(ending.to_owned());
    }

    /// From now on text and programs come as gzip to whoever takes it, as from any host.
    pub fn compress(&self) {
        *self.site.small() = Some(HashMap::new());
    }

    /// What was asked for since the last call: paths with their queries.
    pub fn take_asked(&self) -> Vec<String> {
        std::mem::take(&mut self.site.tricks().asked)
    }

    /// What injected scripts told since the last call.
    pub fn take_heard(&self) -> Vec<String> {
        std::mem::take(&mut self.site.tricks().heard)
    }

    /// Serves until the process ends.
    pub fn wait(self) {
        self.thread.join().ok();
    }
}

/// What a request comes to.
#[derive(Debug, PartialEq)]
enum Answer {
    File(PathBuf),
    /// Nothing at all: the connection just ends.
    Silence,
    /// To the same address with a slash, or the relative URLs of its page would miss.
    Redirect(String),
    Refuse(&'static str),
}

/// A request target without its query.
fn path_of(target: &str) -> &str {
    target.split(['?', '#']).next().unwrap_or_default()
}

impl Site {
    fn tricks(&self) -> MutexGuard<'_, Tricks> {
        self.tricks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn small(&self) -> MutexGuard<'_, Option<Small>> {
        self.small.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The file as gzip, if that is wanted and worth it.
    fn compressed(&self, path: &Path) -> io::Result<Option<Arc<[u8]>>> {
        let mut small = self.small();
        let Some(small) = small.as_mut().filter(|_| !matches!(mime(path), "image/png" | "application/octet-stream"))
        else {
            return Ok(None);
        };
        if let Some(bytes) = small.get(path) {
            return Ok(Some(Arc::clone(bytes)));
        }
        let mut bytes = Vec::new();
        GzEncoder::new(File::open(path)?, Compression::best()).read_to_end(&mut bytes)?;
        let bytes: Arc<[u8]> = bytes.into();
        small.insert(path.to_owned(), Arc::clone(&bytes));
        Ok(Some(bytes))
    }

    fn answer(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut lines = BufReader::new(stream.take(LONGEST_HEAD)).lines();
        let Some(request) = lines.next().transpose()? else { return Ok(()) };
        // The rest of the head is read so that closing the connection does not look like a reset.
        let mut takes_gzip = false;
        for line in lines {
            let line = line?.to_ascii_lowercase();
            takes_gzip |= line.starts_with("accept-encoding:") && line.contains("gzip");
            if line.is_empty() {
                break;
            }
        }
        let mut words = request.split(' ');
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let answer = match method {
            "GET" | "HEAD" => self.told(target).unwrap_or_else(|| self.find(target)),
            _ => Answer::Refuse("405 Method Not Allowed"),
        };
        let (script, without_scripts, altered, late) = {
            let tricks = self.tricks();
            (tricks.script.clone(), tricks.without_scripts, tricks.altered.clone(), tricks.late.clone())
        };
        if let Some((ending, time)) = late
            && path_of(target).ends_with(&ending)
        {
            std::thread::sleep(time);
        }
        match answer {
            Answer::File(path) if altered.is_some_and(|ending| path_of(target).ends_with(&ending)) => {
                // A custom section of two bytes, a name of one letter and nothing in it; or a comment.
                let more: &[u8] = if mime(&path) == "application/wasm" { &[0, 2, 1, b'x'] } else { b"\n//" };
                send_bytes(stream, mime(&path), &[std::fs::read(&path)?.as_slice(), more].concat())
            }
            Answer::File(path) if mime(&path).starts_with("text/html") && !script.is_empty() && !without_scripts => {
                let page = std::fs::read_to_string(&path)?;
                send_bytes(
                    stream,
                    mime(&path),
                    page.replacen("<head>", &format!("<head><script data-injected>{script}</script>"), 1).as_bytes(),
                )
            }
            Answer::File(path) if takes_gzip && method == "GET" && !without_scripts => match self.compressed(&path)? {
                Some(bytes) => send_bytes(stream, &format!("{}\r\nContent-Encoding: gzip", mime(&path)), &bytes),
                None => send(stream, Answer::File(path), false, false),
            },
            answer => send(stream, answer, method == "HEAD", without_scripts),
        }
    }

    /// Notes the request; the answer to one that is a message, or that must not arrive.
    fn told(&self, target: &str) -> Option<Answer> {
        let mut tricks = self.tricks();
        if let Some(words) = target.strip_prefix(HEARD) {
            tricks.heard.push(percent::decode(words, Plus::Plus).unwrap_or_else(|| words.to_owned()));
            return Some(Answer::Refuse("204 No Content"));
        }
        tricks.asked.push(target.to_owned());
        let path = path_of(target);
        tricks.blocked.iter().any(|ending| path.ends_with(ending.as_str())).then_some(Answer::Silence)
    }

    /// What a request target stands for.
    fn find(&self, target: &str) -> Answer {
        const MISSING: Answer = Answer::Refuse("404 Not Found");
        let raw = path_of(target);
        let Some(path) = percent::decode(raw, Plus::Plus) else { return Answer::Refuse("400 Bad Request") };
        let Some(inside) = path.strip_prefix(self.prefix.as_str()) else { return MISSING };
        if inside.split('/').any(|part| part == ".." || part.contains(['\\', '\0'])) {
            return MISSING;
        }
        // Resolved, so that a symbolic link cannot lead out either.
        let Ok(found) = self.folder.join(inside).canonicalize() else { return MISSING };
        if !found.starts_with(&self.folder) {
            MISSING
        } else if found.is_file() {
            Answer::File(found)
        } else if !path.ends_with('/') {
            Answer::Redirect(format!("{raw}/"))
        } else if found.join("index.html").is_file() {
            Answer::File(found.join("index.html"))
        } else {
            MISSING
        }
    }
}

const COMMON: &str = "Cache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n";

fn send_bytes(mut stream: &TcpStream, kind: &str, bytes: &[u8]) -> io::Result<()> {
    let length = bytes.len();
    write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{COMMON}")?;
    stream.write_all(bytes)?;
    stream.flush()
}

fn send(mut stream: &TcpStream, answer: Answer, head_only: bool, without_scripts: bool) -> io::Result<()> {
    match answer {
        Answer::Silence => return Ok(()),
        Answer::File(path) => {
            let mut file = File::open(&path)?;
            let (kind, length) = (mime(&path), file.metadata()?.len());
            let policy = if without_scripts { "Content-Security-Policy: script-src 'none'\r\n" } else { "" };
            write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{policy}{COMMON}")?;
            if !head_only {
                io::copy(&mut file, &mut stream)?;
            }
        }
        Answer::Redirect(location) => {
            write!(stream, "HTTP/1.1 301 Moved Permanently\r\nLocation: {location}\r\nContent-Length: 0\r\n{COMMON}")?;
        }
        Answer::Refuse(status) => {
            let body = if head_only { "" } else { status };
            let length = status.len();
            write!(
                stream,
                "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n{COMMON}{body}"
            )?;
        }
    }
    stream.flush()
}

/// The MIME type by a file's ending; WebAssembly is compiled while it streams in only with its own.
fn mime(path: &Path) -> &'static str {
    match path.extension().and_then(|ending| ending.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "txt" | "md" | "csv" => "text/plain; charset=utf-8",
        "xml" => "application/xml",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests;
