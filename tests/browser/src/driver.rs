//! A running WebDriver server, and the screen that it needs; both end when they are dropped.

use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::engine::Engine;
use crate::profile::Profile;
use crate::{Result, Setting};

/// A driver that has not answered by then will not.
const PATIENCE: Duration = Duration::from_secs(60);

/// A process that ends with its handle.
#[derive(Debug)]
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// The driver's process and where it listens.
#[derive(Debug)]
pub struct Driver {
    // Fields are dropped in this order: the driver, what it stands on.
    process: Process,
    screen: Option<Screen>,
    profile: Option<Profile>,
    port: u16,
}

impl Driver {
    /// Starts the engine's driver on a free port.
    ///
    /// # Errors
    /// If the driver is not there or does not answer, three times over.
    pub fn start(setting: &Setting) -> Result<Self> {
        Self::launch(setting).or_else(|_| Self::launch(setting)).or_else(|_| Self::launch(setting))
    }

    fn launch(setting: &Setting) -> Result<Self> {
        let port = free_port()?;
        let mut command = setting.engine.driver(port);
        let screen = match setting.engine {
            Engine::WebKit => Some(Screen::for_setting(setting, &mut command)?),
            Engine::Chromium | Engine::Firefox => None,
        };
        let profile = (setting.engine == Engine::Firefox).then(Profile::new).transpose()?;
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let process = command
            .spawn()
            .map_err(|error| format!("{command:?}: {error}; `cargo xtask setup` installs the driver or says how"))?;
        let mut driver = Self { process: Process(process), screen, profile, port };
        let since = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            if let Some(status) = driver.process.0.try_wait()? {
                return Err(format!("{command:?} ended with {status}").into());
            }
            if since.elapsed() > PATIENCE {
                return Err(format!("{command:?} does not listen").into());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(driver)
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Firefox's profile.
    pub(crate) fn profile(&self) -> Option<&Profile> {
        self.profile.as_ref()
    }

    /// Gives the browser's window the keyboard, where nobody else does: a screen of its own has no window manager.
    ///
    /// # Errors
    /// If there is no window, or what moves the focus is not installed.
    pub fn focus(&self) -> Result {
        let Some(screen) = &self.screen else { return Ok(()) };
        let mut command = Command::new(std::env::var_os("XDOTOOL").unwrap_or("xdotool".into()));
        command.args(["search", "--sync", "--onlyvisible", "--name", ".", "windowfocus", "--sync"]);
        let outcome = command.env("DISPLAY", &screen.display).output();
        let output =
            outcome.map_err(|error| format!("{command:?}: {error}; `cargo xtask setup` installs it or says how"))?;
        if output.status.success() {
            return Ok(());
        }
        Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into())
    }
}

/// A port that nobody listens on, below those that the system hands out by itself: between this look and the driver's
/// own, a server or a connection of another test cannot get it.
fn free_port() -> Result<u16> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    const RANGE: std::ops::Range<u32> = 10_000..32_000;
    for _ in RANGE {
        // Each test program begins elsewhere.
        let number = std::process::id().wrapping_mul(97).wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
        let port = u16::try_from(RANGE.start + number % (RANGE.end - RANGE.start))?;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(port);
        }
    }
    Err("no port is free".into())
}

/// A screen that nobody sees, for a browser without a mode of its own for that, with the desktop's settings of the reader.
#[derive(Debug)]
struct Screen {
    _process: Process,
    display: String,
    folder: PathBuf,
}

impl Screen {
    fn for_setting(setting: &Setting, command: &mut Command) -> Result<Self> {
        let mut server = Command::new(std::env::var_os("XVFB").unwrap_or("Xvfb".into()));
        server.args(["-displayfd", "1", "-screen", "0", "2800x2000x24", "-nolisten", "tcp"]);
        server.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = server
            .spawn()
            .map_err(|error| format!("{server:?}: {error}; `cargo xtask setup` installs it or says how"))?;
        let output = process.stdout.take().ok_or("the screen has no output")?;
        let process = Process(process);
        let mut lines = BufReader::new(output).lines();
        let display = lines.next().ok_or("the screen ended before it was there")??;
        let screen = Self { _process: process, display: format!(":{}", display.trim()), folder: new_folder()? };
        desktop(setting, &screen.folder)?;
        command.env("DISPLAY", &screen.display).env("XDG_CONFIG_HOME", &screen.folder);
        command.env("GDK_BACKEND", "x11").env("NO_AT_BRIDGE", "1");
        command.env("GTK_THEME", if setting.media.dark { "Adwaita:dark" } else { "Adwaita" });
        Ok(screen)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.folder).ok();
    }
}

fn new_folder() -> Result<PathBuf> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("kv-budget-screen-{}-{number}", std::process::id()));
    std::fs::create_dir_all(folder.join("gtk-3.0"))?;
    Ok(folder)
}

/// The desktop's settings: theme and motion; and no decoration, which would keep the window wider than a phone.
fn desktop(setting: &Setting, folder: &Path) -> Result {
    let (dark, moves) = (u8::from(setting.media.dark), u8::from(!setting.media.reduced_motion));
    let settings = format!("[Settings]\ngtk-enable-animations={moves}\ngtk-application-prefer-dark-theme={dark}\n");
    std::fs::write(folder.join("gtk-3.0/settings.ini"), settings)?;
    let bare = "* { min-width: 0; min-height: 0; padding: 0; margin: 0; border-width: 0; border-spacing: 0 }\n\
                headerbar *, toolbar * { font-size: 1px; -gtk-icon-transform: scale(0.01) }\n";
    Ok(std::fs::write(folder.join("gtk-3.0/gtk.css"), bare)?)
}
