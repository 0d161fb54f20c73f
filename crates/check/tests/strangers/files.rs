//! The files to inspect: models in the wheels next to the interpreter, or in folders given by the user.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Wheels with models that `cargo xtask venv` installs, and the location of the models below `site-packages`.
pub const WHEELS: &[(&str, &str)] = &[
    ("brax", "brax"),
    ("example-robot-data", "cmeel.prefix/share/example-robot-data"),
    ("gymnasium-robotics", "gymnasium_robotics"),
];

/// A collection of models.
pub struct Collection {
    /// Its name on a page, with the version.
    pub name: String,
    /// Its location.
    pub folder: PathBuf,
    /// Its models, sorted.
    pub files: Vec<PathBuf>,
    /// Files that this copy of the collection lacks, by their path inside it.
    absent: Vec<String>,
}

impl Collection {
    fn new(name: String, folder: PathBuf) -> Self {
        let mut files = Vec::new();
        collect(&folder, &mut files);
        files.sort();
        let absent = std::fs::read_to_string(folder.join(".absent")).unwrap_or_default();
        Self { name, folder, files, absent: absent.lines().map(str::to_string).filter(|l| !l.is_empty()).collect() }
    }

    /// Whether a message about a missing file names one that is missing only from this copy of the collection.
    pub fn lacks(&self, text: &str) -> bool {
        self.absent.iter().any(|path| text.contains(path))
    }

    /// A file's path inside the collection.
    pub fn short(&self, file: &Path) -> String {
        file.strip_prefix(&self.folder).unwrap_or(file).display().to_string()
    }
}

/// The interpreter; `None`, with a message, if nothing can be compared.
pub fn python() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("VERACITY_PYTHON") {
        return Some(path.into());
    }
    assert!(std::env::var_os("CI").is_none(), "VERACITY_PYTHON is not set; run `cargo xtask test`");
    eprintln!("SKIPPED: VERACITY_PYTHON is not set: no foreign models; `cargo xtask venv` prints what to set it to");
    None
}

/// The wheels' models.
pub fn wheels(python: &Path) -> Vec<Collection> {
    let ask = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let output = Command::new(python).args(["-c", ask]).output().expect("VERACITY_PYTHON runs");
    let site = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    WHEELS
        .iter()
        .filter_map(|(wheel, folder)| {
            let folder = site.join(folder);
            folder.is_dir().then(|| Collection::new(format!("{wheel} {}", version(&site, wheel)), folder))
        })
        .collect()
}

/// The version of an installed wheel, from its metadata folder.
fn version(site: &Path, wheel: &str) -> String {
    let prefix = format!("{}-", wheel.replace('-', "_"));
    let entries =
        std::fs::read_dir(site).into_iter().flatten().filter_map(|e| e.ok()?.file_name().into_string().ok());
    let mut versions =
        entries.filter_map(|name| Some(name.strip_suffix(".dist-info")?.strip_prefix(&prefix)?.to_string()));
    versions.next().unwrap_or_else(|| "of unknown version".into())
}

/// The folders below `VERACITY_STRANGERS`, each a collection called `NAME@VERSION`.
pub fn strangers() -> Option<Vec<Collection>> {
    let root = PathBuf::from(std::env::var_os("VERACITY_STRANGERS")?);
    let entries = std::fs::read_dir(&root).unwrap_or_else(|e| panic!("VERACITY_STRANGERS {}: {e}", root.display()));
    let mut folders: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).filter(|p| p.is_dir()).collect();
    folders.sort();
    let name = |p: &PathBuf| p.file_name().unwrap_or_default().to_string_lossy().replace('@', " ");
    Some(folders.into_iter().map(|folder| Collection::new(name(&folder), folder)).collect())
}

fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.filter_map(|e| Some(e.ok()?.path())) {
        if path.is_dir() && !path.is_symlink() {
            collect(&path, into);
        } else if is_model(&path) {
            into.push(path);
        }
    }
}

/// URDF by the file extension; MJCF by the root element, unless it is a part that is valid only inside another file.
fn is_model(path: &Path) -> bool {
    match path.extension().and_then(|e| e.to_str()) {
        Some("urdf") => true,
        Some("xml") => std::fs::read_to_string(path).is_ok_and(|text| {
            let whole = text.contains("<worldbody") || text.contains("<include");
            whole && root_of(&text) == Some("mujoco")
        }),
        _ => false,
    }
}

fn root_of(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = &rest[rest.find('<')?..];
        rest = if rest.starts_with("<?") {
            &rest[rest.find("?>")? + 2..]
        } else if rest.starts_with("<!--") {
            &rest[rest.find("-->")? + 3..]
        } else {
            let name = &rest[1..];
            return name.find(|c: char| c.is_whitespace() || c == '>' || c == '/').map(|end| &name[..end]);
        };
    }
}
