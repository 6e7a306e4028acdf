//! The channel's options: checked against the manifest and completed with its defaults.

use frogbot_manifest::Manifest;
use serde_json::{Map, Value};

use super::Against;

/// How alike an option's name must be to be suggested.
const ALIKE: f64 = 0.7;

/// The options as JSON text, for the guest.
pub(super) fn complete(manifest: &Manifest, given: &Map<String, Value>) -> Result<String, Against> {
    if let Some(unknown) = given.keys().find(|name| !manifest.options.contains_key(*name)) {
        return Err((
            format!("the piece has no option `{unknown}`"),
            nearest(manifest, unknown),
        ));
    }
    let mut options = Map::new();
    for (name, spec) in &manifest.options {
        match given.get(name).or(spec.default.as_ref()) {
            Some(value) if spec.kind.admits(value) => {
                options.insert(name.clone(), value.clone());
            }
            Some(_) => {
                let reason = format!("the option `{name}` has a value of another kind");
                return Err((
                    reason,
                    format!("set it to {}: {}", spec.kind.in_words(), spec.description),
                ));
            }
            None if spec.required => {
                let reason = format!("the option `{name}` is not set");
                return Err((
                    reason,
                    format!("set it to {}: {}", spec.kind.in_words(), spec.description),
                ));
            }
            None => {}
        }
    }
    Ok(Value::Object(options).to_string())
}

fn nearest(manifest: &Manifest, unknown: &str) -> String {
    let likeness = |name: &&String| strsim::jaro_winkler(name, unknown);
    let best = manifest
        .options
        .keys()
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match best.filter(|name| likeness(name) >= ALIKE) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!(
            "it has: {}",
            manifest.options.keys().cloned().collect::<Vec<_>>().join(", ")
        ),
    }
}
