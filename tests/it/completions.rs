//! `migrate completions`: scripts that shells take, and that complete.

use std::process::Command;

use crate::tool::{Folder, Tool};

#[tokio::test]
async fn every_shell_gets_a_script() {
    for (shell, marker) in [
        ("bash", "complete -F _migrate"),
        ("zsh", "#compdef migrate"),
        ("fish", "complete -c migrate"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "edit:completion:arg-completer[migrate]"),
    ] {
        let script = Tool::new(["completions", shell]).run().await.expect_code(0).stdout;
        assert!(script.contains(marker), "{shell}:\n{script}");
        assert!(script.contains("max-rejects"), "{shell}:\n{script}");
    }
}

#[tokio::test]
async fn bash_completes_commands_and_flags() {
    let folder = Folder::new();
    let script = Tool::new(["completions", "bash"]).run().await.expect_code(0).stdout;
    folder.write("migrate.bash", &script);
    bash(&folder, &["-n", "migrate.bash"]);
    for (typed, completed) in [
        (["migrate", "ver"].as_slice(), "verify"),
        (&["migrate", "sta"], "status"),
        (&["migrate", "run", "--dry"], "--dry-run"),
        (&["migrate", "preview", "--ent"], "--entity"),
        (&["migrate", "completions", "zs"], "zsh"),
    ] {
        let (words, last) = (typed.join(" "), typed.len() - 1);
        let (word, before) = (typed[last], typed[last - 1]);
        let call = format!(
            "source migrate.bash; COMP_WORDS=({words}); COMP_CWORD={last}; _migrate migrate {word} {before}; echo \"${{COMPREPLY[*]}}\""
        );
        assert_eq!(bash(&folder, &["--norc", "-c", &call]).trim(), completed, "{words}");
    }
}

fn bash(folder: &Folder, words: &[&str]) -> String {
    let ran = Command::new("bash").args(words).current_dir(folder.path()).output().expect("bash");
    assert!(ran.status.success(), "{words:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}
