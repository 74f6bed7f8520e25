//! The environment of the sidecar, in which it imports nothing of the project that it is started in.
//!
//! 1. Of variables of Python's only `PYTHONPATH` is handed on, and `PYTHONSAFEPATH` is set, which is `python -P`.
//! 2. `PYTHONPATH` loses folders that are relative, that the command's folder lies in, or that are inside the project:
//!    the nearest folder with `.git` from the command's folder upward, else that folder. The root of the file system
//!    is no project.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

const PATH: &str = "PYTHONPATH";

/// What the host set on the command goes before what this process has.
pub(crate) fn isolate(command: &mut Command) {
    let own: Vec<(OsString, Option<OsString>)> =
        command.get_envs().map(|(name, value)| (name.to_owned(), value.map(OsStr::to_owned))).collect();
    let said = own.iter().find(|(name, _)| name == PATH).map(|(_, value)| value.clone());
    let folder = command.get_current_dir().unwrap_or(Path::new("."));
    let kept = foreign(&said.unwrap_or_else(|| env::var_os(PATH)).unwrap_or_default(), &real(folder));
    for name in own.into_iter().map(|(name, _)| name).chain(env::vars_os().map(|(name, _)| name)) {
        if name.to_string_lossy().starts_with("PYTHON") {
            command.env_remove(name);
        }
    }
    if !kept.is_empty() {
        command.env(PATH, kept);
    }
    command.env("PYTHONSAFEPATH", "1");
}

/// Rule 2. `here`: the command's folder, links resolved.
fn foreign(said: &OsStr, here: &Path) -> OsString {
    let project = here.ancestors().find(|one| one.join(".git").exists()).unwrap_or(here);
    let is_inside = |one: &Path| {
        here.starts_with(real(one)) || (project.parent().is_some() && real(one).starts_with(project))
    };
    let kept: Vec<PathBuf> = env::split_paths(said).filter(|one| one.is_absolute() && !is_inside(one)).collect();
    env::join_paths(kept).expect("they were in one list")
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_command_hands_on_nothing_of_python_but_folders_outside_of_the_project() {
        let folder =
            env::temp_dir().canonicalize().unwrap().join(format!("ctxmgr-environment-{}", std::process::id()));
        for path in ["bare/lib", "project/.git", "project/src", "project/sub/.git", "project2"] {
            fs::create_dir_all(folder.join(path)).unwrap();
        }
        symlink(folder.join("project"), folder.join("link")).unwrap();
        let at = |path: &str| folder.join(path).to_str().unwrap().to_owned();
        let cases = [
            (
                "project/src",
                vec![".".into(), "".into(), "src".into(), at("project"), at("project/lib"), at("link")],
                vec![],
            ),
            ("project/src", vec![at("project2"), "/opt/lib".into()], vec![at("project2"), "/opt/lib".into()]),
            ("link", vec![at("project/src"), at("bare")], vec![at("bare")]),
            ("project/sub", vec![at("project"), at("project/src")], vec![at("project/src")]),
            ("bare/lib", vec![at("bare"), at("project2")], vec![at("project2")]),
            ("bare", vec![at("bare"), at("bare/lib"), at("project")], vec![at("project")]),
        ];
        for (place, given, left) in cases {
            let mut command = Command::new("ctxmgr");
            command.current_dir(at(place)).env(PATH, given.join(":")).env("PYTHONHOME", ".").env("A", "1");
            isolate(&mut command);
            let made: HashMap<_, _> = command.get_envs().collect();
            let path = made.get(OsStr::new(PATH)).copied().flatten().unwrap_or_default();
            assert_eq!(path, OsStr::new(&left.join(":")), "{place}: {given:?}");
            assert_eq!(made[OsStr::new("PYTHONHOME")], None);
            assert_eq!(made[OsStr::new("PYTHONSAFEPATH")], Some(OsStr::new("1")));
            assert_eq!(made[OsStr::new("A")], Some(OsStr::new("1")));
        }
        assert_eq!(foreign(OsStr::new("/opt:.."), Path::new("/")), "/opt");
        fs::remove_dir_all(folder).unwrap();
    }
}
