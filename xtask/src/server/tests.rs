//! The server, asked over its own socket.

use super::*;

/// A folder with a page, a file and a secret beside it; the name keeps tests apart.
fn server(name: &str) -> Server {
    let folder = std::env::temp_dir().join(format!("kv-budget-server-{}-{name}", std::process::id()));
    let site = folder.join("site");
    std::fs::create_dir_all(site.join("sub")).unwrap();
    std::fs::write(folder.join("secret.txt"), "secret").unwrap();
    std::fs::write(site.join("index.html"), "<p>page</p>").unwrap();
    std::fs::write(site.join("sub/index.html"), "<p>sub</p>").unwrap();
    std::fs::write(site.join("a b.wasm"), b"\0asm").unwrap();
    Server::start(&site, "/some/path/", 0).unwrap()
}

fn ask(server: &Server, request: &str) -> String {
    let mut stream = TcpStream::connect(server.address).unwrap();
    write!(stream, "{request} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn files_come_with_their_type_under_the_path_only() {
    let server = server("files");
    let page = ask(&server, "GET /some/path/?f=0.55");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("text/html") && page.ends_with("<p>page</p>"), "{page}");
    let wasm = ask(&server, "GET /some/path/a%20b.wasm");
    assert!(wasm.contains("Content-Type: application/wasm\r\nContent-Length: 4"), "{wasm}");
    assert!(ask(&server, "GET /").starts_with("HTTP/1.1 404"));
    assert!(ask(&server, "GET /some/path/nothing").starts_with("HTTP/1.1 404"));
}

#[test]
fn head_sends_no_body_and_other_methods_are_refused() {
    let server = server("head");
    let head = ask(&server, "HEAD /some/path/");
    assert!(head.contains("Content-Length: 11") && head.ends_with("\r\n\r\n"), "{head}");
    assert!(ask(&server, "POST /some/path/").starts_with("HTTP/1.1 405"));
}

#[test]
fn a_folder_without_its_slash_is_redirected() {
    let server = server("redirect");
    assert!(ask(&server, "GET /some/path/sub").contains("Location: /some/path/sub/\r\n"));
    assert!(ask(&server, "GET /some/path/sub/").ends_with("<p>sub</p>"));
}

#[test]
fn it_compresses_for_whoever_takes_it_once_that_is_wanted() {
    let server = server("gzip");
    let asked = "GET /some/path/ HTTP/1.1\r\nAccept-Encoding: br, gzip";
    assert!(!ask(&server, asked).contains("Content-Encoding"));
    server.compress();
    assert!(ask(&server, asked).contains("text/html; charset=utf-8\r\nContent-Encoding: gzip\r\n"));
    assert!(ask(&server, "GET /some/path/").ends_with("<p>page</p>"));
}

#[test]
fn trouble_comes_when_it_is_asked_for() {
    let server = server("tricks");
    server.inject("listen()");
    let page = ask(&server, "GET /some/path/");
    assert!(page.ends_with("<p>page</p>") && !page.contains("listen"), "no head, no script: {page}");
    server.block(&[".wasm"]);
    assert_eq!(ask(&server, "GET /some/path/a%20b.wasm?v=1"), "");
    server.block(&[]);
    assert!(ask(&server, "GET /some/path/a%20b.wasm?v=1").starts_with("HTTP/1.1 200"));
    server.allow_scripts(false);
    assert!(ask(&server, "GET /some/path/").contains("Content-Security-Policy: script-src 'none'"));
    assert!(ask(&server, "GET /heard?no%20luck").starts_with("HTTP/1.1 204"));
    assert_eq!(server.take_heard(), ["no luck"]);
    assert_eq!(server.take_asked().len(), 4);
    assert!(server.take_asked().is_empty());
}

#[test]
fn nothing_outside_the_folder_is_served() {
    let server = server("escape");
    for path in [
        "../secret.txt",
        "%2e%2e/secret.txt",
        "sub/..%2f..%2fsecret.txt",
        "..%5csecret.txt",
        "%",
        "%ff",
        "//etc/passwd",
    ] {
        let answer = ask(&server, &format!("GET /some/path/{path}"));
        assert!(answer.starts_with("HTTP/1.1 40"), "{path}: {answer}");
    }
}
