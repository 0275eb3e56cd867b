//! Opens the single file from the disk in Firefox and uses every section of it.
//!
//! Firefox is asked in its own protocol, Marionette, which it speaks without a driver beside it: a length, a colon, and a
//! list in JSON.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use browser_tests::Result;
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    match look() {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            eprintln!("Firefox: {trouble}");
            ExitCode::FAILURE
        }
    }
}

fn look() -> Result {
    let dist = std::env::var("KV_BUDGET_DIST")?;
    let mut firefox = Firefox::start()?;
    let version = firefox.ask("WebDriver:NewSession", json!({}))?["capabilities"]["browserVersion"].clone();
    let open = |firefox: &mut Firefox, query: &str| {
        firefox.ask("WebDriver:Navigate", json!({ "url": format!("file://{dist}/kv-budget.html?{query}") }))?;
        firefox.until("the program runs", "return document.documentElement.dataset.program === 'running'")
    };
    open(&mut firefox, "f=0.88")?;
    firefox.until(
        "the verdict is there",
        "return document.getElementById('headline').textContent.includes('159,171 tokens')",
    )?;
    firefox.run("const s = document.getElementById('slider-f'); s.value = 550; s.dispatchEvent(new Event('input', { bubbles: true }))")?;
    firefox.until(
        "a slider moves it",
        "return document.getElementById('headline').textContent.includes('short by 20.603 GiB')",
    )?;
    open(&mut firefox, "sglang=0.5.9&model=kimi-k2.5&gpu=rtx-pro-6000&tp=8")?;
    firefox.until("the plan is there", "return document.getElementById('plan-body').textContent.includes('0.7715')")?;
    for (section, words) in [("engines", "vLLM"), ("log", "log"), ("share-more", "sglang.launch_server")] {
        firefox.run(&format!("document.getElementById('{section}').open = true"))?;
        firefox.until(
            &format!("the section {section} is filled"),
            &format!("return document.getElementById('{section}-body').textContent.includes('{words}')"),
        )?;
    }
    let policy = firefox
        .run("return performance.getEntriesByType('resource').filter((r) => !r.name.startsWith('blob:')).length")?;
    assert_eq!(policy["value"], 0, "nothing is fetched");
    println!("  Firefox {}: the page and every section work from the disk", version.as_str().unwrap_or_default());
    firefox.ask("Marionette:Quit", json!({})).ok();
    Ok(())
}

struct Firefox {
    process: Child,
    stream: TcpStream,
    last: u32,
}

impl Firefox {
    /// Starts it with a fresh profile.
    fn start() -> Result<Self> {
        let program = std::env::var("FIREFOX").unwrap_or_else(|_| "firefox".to_owned());
        let profile = std::env::temp_dir().join(format!("kv-budget-firefox-{}", std::process::id()));
        std::fs::create_dir_all(&profile)?;
        // Any free port: closed here, opened by Firefox a moment later.
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        std::fs::write(profile.join("user.js"), format!("user_pref('marionette.port', {port});\n"))?;
        let process = Command::new(program)
            .args(["--headless", "--marionette", "--no-remote", "--profile"])
            .arg(&profile)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let since = Instant::now();
        let stream = loop {
            match TcpStream::connect(("127.0.0.1", port)) {
                Ok(stream) => break stream,
                Err(error) if since.elapsed() > PATIENCE => return Err(error.into()),
                Err(_) => std::thread::sleep(Duration::from_millis(200)),
            }
        };
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut firefox = Self { process, stream, last: 0 };
        firefox.hear()?;
        Ok(firefox)
    }

    fn hear(&mut self) -> Result<Value> {
        let mut length = 0_usize;
        loop {
            let mut byte = [0];
            self.stream.read_exact(&mut byte)?;
            match byte[0] {
                b':' => break,
                digit => length = length * 10 + usize::from(digit - b'0'),
            }
        }
        let mut text = vec![0; length];
        self.stream.read_exact(&mut text)?;
        Ok(serde_json::from_slice(&text)?)
    }

    fn ask(&mut self, command: &str, parameters: Value) -> Result<Value> {
        self.last += 1;
        let text = json!([0, self.last, command, parameters]).to_string();
        write!(self.stream, "{}:{text}", text.len())?;
        let mut answer = self.hear()?;
        if !answer[2].is_null() {
            return Err(format!("{command}: {}", answer[2]["message"]).into());
        }
        Ok(answer[3].take())
    }

    fn run(&mut self, script: &str) -> Result<Value> {
        self.ask("WebDriver:ExecuteScript", json!({ "script": script, "args": [] }))
    }

    fn until(&mut self, what: &str, script: &str) -> Result {
        let since = Instant::now();
        while self.run(script)?["value"] != Value::Bool(true) {
            if since.elapsed() > PATIENCE {
                let seen = self.run("return document.body.innerText.slice(0, 600)")?;
                return Err(format!("waited in vain until {what}; it shows {seen}").into());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    }
}

impl Drop for Firefox {
    fn drop(&mut self) {
        // It may have quit by itself.
        self.process.kill().ok();
        self.process.wait().ok();
    }
}
