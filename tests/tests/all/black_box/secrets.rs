//! Secrets stay where the operator put them: what a host writes and says has none of them. That a guest's memory has none is a
//! test of the runtime.

use std::fs;
use std::path::{Path, PathBuf};

use tests::host_process::{get, post};

use super::forum_world::{TOKEN, WEBHOOK_SECRET};
use super::swapping::{self, TOKEN as ADMIN_TOKEN};

/// Every file below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .collect()
}

fn has(bytes: &[u8], secret: &str) -> bool {
    bytes
        .windows(secret.len())
        .any(|window| window == secret.as_bytes())
}

#[tokio::test]
async fn no_secret_stands_in_the_store_the_compiled_code_the_log_or_what_the_host_answers() {
    let world = swapping::world().await;
    swapping::works(&world).await;
    let url = format!("http://{}/admin/pieces", world.host().address());
    let authorization = format!("Bearer {ADMIN_TOKEN}");
    let brought = post(&url, &[("authorization", &authorization)], "no piece")
        .await
        .unwrap();
    let refused = get(&url).await.unwrap();
    let channel = post(&world.host().channel_url("forum"), &[], Vec::new())
        .await
        .unwrap();
    assert_eq!((refused.status, channel.status), (401, 401), "{brought:?}");
    let said = [&brought, &refused, &channel]
        .map(|answer| format!("{answer:?}"))
        .join("\n");

    let folder = world.installation.folder();
    // The operator's own file is the one place.
    let written: Vec<PathBuf> = files(folder)
        .into_iter()
        .filter(|file| !file.ends_with("admin-token"))
        .collect();
    let named = |part: &str| {
        written
            .iter()
            .any(|file| file.display().to_string().contains(part))
    };
    assert!(named("frogbot.db") && named("compiled"), "{written:?}");
    let token_file = fs::read(folder.join("admin-token")).unwrap();
    assert!(has(&token_file, ADMIN_TOKEN), "the search finds nothing");
    for secret in [TOKEN, WEBHOOK_SECRET, ADMIN_TOKEN] {
        for file in &written {
            assert!(
                !has(&fs::read(file).unwrap_or_default(), secret),
                "`{secret}` in {}",
                file.display()
            );
        }
        assert!(!said.contains(secret), "{said}");
        let log = world.host().log().text();
        assert!(!log.contains(secret), "{log}");
    }
}
