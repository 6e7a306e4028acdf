//! From the core module that cargo built to a component, and from any component to one that carries its manifest, if the two
//! agree.

use frogbot_manifest::{Manifest, OptionalHook, Problem, WORLD, embed, is_empty_wasi, read};
use semver::Version;
use wit_component::ComponentEncoder;

use super::BuildProblem;
use crate::interface::{CHANNEL, Interface, QUESTIONS, ours, world_of};

/// Checks a component against the manifest and puts the manifest inside.
pub(super) fn assemble(component: &[u8], manifest: &Manifest) -> Result<Vec<u8>, BuildProblem> {
    let problems = disagreements(manifest, &Interface::read(component)?);
    if !problems.is_empty() {
        return Err(BuildProblem::Disagreement { problems });
    }
    let wasm = embed(component, manifest)?;
    // What an operator's host will do first; a piece that it would refuse is never written.
    read(&wasm)?;
    Ok(wasm)
}

/// Wraps the module.
pub(super) fn encode(core: &[u8]) -> Result<Vec<u8>, BuildProblem> {
    ComponentEncoder::default()
        .validate(true)
        .module(core)
        .and_then(ComponentEncoder::encode)
        .map_err(|error| BuildProblem::Encode {
            reason: format!("{error:#}"),
        })
}

/// Two files name the version; a record that says which version wrote it must be able to rely on either.
pub(super) fn agree_with_package(manifest: &Manifest, package: &Version) -> Result<(), BuildProblem> {
    if manifest.version == *package {
        return Ok(());
    }
    let what = format!("piece.toml says {}, Cargo.toml says {package}", manifest.version);
    let problems = vec![Problem {
        path: "version".to_owned(),
        what,
        fix: "give both the same version".to_owned(),
    }];
    Err(BuildProblem::Disagreement { problems })
}

fn disagreements(manifest: &Manifest, interface: &Interface) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut add = |path: &str, what: String, fix: &str| {
        problems.push(Problem {
            path: path.to_owned(),
            what,
            fix: fix.to_owned(),
        });
    };
    if !interface.exports(CHANNEL) {
        add(
            "world",
            format!("the component does not export `{CHANNEL}`"),
            "export the piece with the SDK's `export!`",
        );
    }
    // What else a component exports is never called.
    for name in interface
        .imports
        .iter()
        .filter(|name| ours(name).is_none() && !is_empty_wasi(name))
    {
        add(
            "world",
            format!("`{name}` is not part of the contract"),
            "use only what the contract offers; turn off what the toolchain links by itself",
        );
    }
    for name in interface.imports.iter().chain(&interface.exports) {
        if let Some((_, version)) = ours(name)
            && world_of(&version) != manifest.world
        {
            add(
                "world",
                format!("the manifest says {}, the component has `{name}`", manifest.world),
                &format!("build it with the SDK for world {WORLD}"),
            );
        }
    }
    if !interface.exports(QUESTIONS) {
        for (index, hook) in manifest
            .hooks
            .iter()
            .enumerate()
            .filter(|(_, hook)| is_about_questions(**hook))
        {
            add(
                &format!("hooks[{index}]"),
                format!("{hook:?} is listed, and the component does not export `{QUESTIONS}`"),
                "leave the hook out, or export the piece with `export!`",
            );
        }
    }
    problems
}

fn is_about_questions(hook: OptionalHook) -> bool {
    match hook {
        OptionalHook::Supports
        | OptionalHook::Updated
        | OptionalHook::Rejected
        | OptionalHook::Denied
        | OptionalHook::Stale => true,
        OptionalHook::Connect
        | OptionalHook::Identity
        | OptionalHook::Started
        | OptionalHook::Edit
        | OptionalHook::Remove => false,
    }
}

#[cfg(test)]
mod tests {
    use frogbot_manifest::{Manifest, OptionalHook};

    use super::{BuildProblem, agree_with_package, encode};
    use crate::inspect::tests::manifest;
    use crate::wit::tests::dummy_core;

    fn assemble(core: &[u8], manifest: &Manifest) -> Result<Vec<u8>, BuildProblem> {
        super::assemble(&encode(core)?, manifest)
    }

    fn disagreement(world: &str, manifest: &Manifest) -> String {
        match assemble(&dummy_core(world), manifest) {
            Err(BuildProblem::Disagreement { problems }) => format!("{problems:?}"),
            other => panic!("expected a disagreement, got {other:?}"),
        }
    }

    #[test]
    fn module_becomes_a_component_with_its_manifest() {
        let wasm = assemble(&dummy_core("channel-questions-piece"), &manifest()).unwrap();
        assert_eq!(frogbot_manifest::read(&wasm).unwrap(), manifest());
    }

    #[test]
    fn hook_about_questions_needs_a_component_that_has_them() {
        let mut manifest = manifest();
        manifest.hooks = vec![OptionalHook::Connect, OptionalHook::Stale];
        let found = disagreement("channel-piece", &manifest);
        assert!(
            found.contains("hooks[1]") && !found.contains("hooks[0]"),
            "{found}"
        );
    }

    #[test]
    fn manifest_of_another_world_is_refused() {
        let mut manifest = manifest();
        manifest.world = "0.3".to_owned();
        let found = disagreement("channel-piece", &manifest);
        assert!(
            found.contains("the manifest says 0.3") && found.contains("@0.1.0"),
            "{found}"
        );
    }

    #[test]
    fn invalid_manifest_is_never_written() {
        let mut manifest = manifest();
        manifest.description = String::new();
        let problem = assemble(&dummy_core("channel-questions-piece"), &manifest).unwrap_err();
        assert!(matches!(problem, BuildProblem::Section(_)), "{problem}");
    }

    #[test]
    fn module_without_a_world_is_refused() {
        let problem = assemble(b"\0asm\x01\0\0\0", &manifest()).unwrap_err();
        assert!(
            matches!(
                problem,
                BuildProblem::Disagreement { .. } | BuildProblem::Encode { .. }
            ),
            "{problem}"
        );
    }

    #[test]
    fn versions_of_both_files_are_the_same() {
        let manifest = manifest();
        agree_with_package(&manifest, &manifest.version).unwrap();
        let problem = agree_with_package(&manifest, &"9.9.9".parse().unwrap()).unwrap_err();
        assert!(problem.to_string().contains("Cargo.toml says 9.9.9"), "{problem}");
    }
}
