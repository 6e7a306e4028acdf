//! What is kept and read back, and what is not trusted.

use std::os::unix::fs::PermissionsExt;

use tempfile::TempDir;

use super::*;

const KEY: CodeKey = CodeKey::new([7; 32]);

fn opened() -> (TempDir, CodeCache) {
    let folder = tempfile::tempdir().unwrap();
    let cache = CodeCache::open(&folder.path().join("code"), KEY).unwrap();
    (folder, cache)
}

fn entry(number: usize) -> Entry {
    Entry(format!("{number:04}.{EXTENSION}"))
}

#[test]
fn what_was_kept_is_read_back_by_hosts_of_the_same_installation_only() {
    let (_folder, cache) = opened();
    cache.write(&entry(1), b"code");

    assert_eq!(cache.read(&entry(1)).as_deref(), Some(b"code".as_slice()));
    assert_eq!(cache.read(&entry(2)), None);
    let other = CodeCache::open(&cache.folder, CodeKey::new([8; 32])).unwrap();
    assert_eq!(other.read(&entry(1)), None);
}

#[test]
fn a_changed_entry_is_not_read_whatever_was_changed() {
    let (_folder, cache) = opened();
    cache.write(&entry(1), b"code");
    let path = cache.folder.join(&entry(1).0);
    let whole = fs::read(&path).unwrap();

    for place in 0..whole.len() {
        let mut changed = whole.clone();
        changed[place] ^= 1;
        fs::write(&path, changed).unwrap();
        assert_eq!(cache.read(&entry(1)), None, "byte {place}");
    }
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        assert_eq!(cache.read(&entry(1)), None, "cut to {length}");
    }
    fs::write(&path, [&*whole, b"!"].concat()).unwrap();
    assert_eq!(cache.read(&entry(1)), None, "longer");
    fs::write(&path, &whole).unwrap();
    assert!(cache.read(&entry(1)).is_some());
}

#[test]
fn the_code_of_one_component_does_not_pass_for_anothers() {
    let (_folder, cache) = opened();
    cache.write(&entry(1), b"code");
    fs::copy(cache.folder.join(&entry(1).0), cache.folder.join(&entry(2).0)).unwrap();

    assert_eq!(cache.read(&entry(2)), None);
}

#[test]
fn a_number_of_entries_is_kept_and_the_oldest_go() {
    let (_folder, cache) = opened();
    for number in 0..limits::CODE_ENTRIES_MAX + 2 {
        let path = cache.folder.join(&entry(number).0);
        fs::write(&path, b"old").unwrap();
        let age = std::time::Duration::from_secs(u64::try_from(number).unwrap());
        let file = File::options().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + age).unwrap();
    }
    cache.write(&entry(9_999), b"new");

    let exists = |number| cache.folder.join(&entry(number).0).exists();
    assert_eq!(
        fs::read_dir(&cache.folder).unwrap().count(),
        limits::CODE_ENTRIES_MAX
    );
    assert_eq!([0, 1, 2, 3, 9_999].map(exists), [false, false, false, true, true]);
}

#[test]
fn nothing_that_others_may_read_or_write_is_used_or_made() {
    let (folder, cache) = opened();
    cache.write(&entry(1), b"code");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&cache.folder), 0o700);
    assert_eq!(mode(&cache.folder.join(&entry(1).0)), 0o600);

    let open = folder.path().join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    let refused = CodeCache::open(&open, KEY).unwrap_err().to_string();
    assert!(refused.contains("mode 777"), "{refused}");
}
