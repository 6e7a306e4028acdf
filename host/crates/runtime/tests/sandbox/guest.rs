//! The built test pieces: from the folder `FROGBOT_PIECES_DIR`, or else built here with Debian's compiler.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use wasm_encoder::{
    BlockType, CodeSection, ComponentSection, Function, FunctionSection, InstanceSection, Instruction,
    Module, ModuleArg, ModuleSection, RefType, StartSection, TableSection, TableType, TypeSection,
};
use wasmparser::{Parser, Payload};
use wit_component::ComponentEncoder;

/// The component of the piece `hostile`, without a manifest or with one that is replaced.
pub(crate) fn hostile() -> &'static [u8] {
    static HOSTILE: OnceLock<Vec<u8>> = OnceLock::new();
    HOSTILE.get_or_init(|| component("hostile"))
}

/// The component of the piece `quiet`, of the world without questions.
pub(crate) fn quiet() -> &'static [u8] {
    static QUIET: OnceLock<Vec<u8>> = OnceLock::new();
    QUIET.get_or_init(|| component("quiet"))
}

/// The component with so many more tables, which nobody uses.
pub(crate) fn with_tables(component: &[u8], count: u32) -> Vec<u8> {
    let mut tables = TableSection::new();
    tables.table(TableType {
        element_type: RefType::FUNCREF,
        table64: false,
        minimum: 1,
        maximum: Some(1),
        shared: false,
    });
    let mut module = Module::new();
    module.section(&tables);
    let mut instances = InstanceSection::new();
    for _ in 0..count {
        instances.instantiate(core_modules(component), Vec::<(&str, ModuleArg)>::new());
    }
    let mut whole = component.to_vec();
    ModuleSection(&module).append_to_component(&mut whole);
    instances.append_to_component(&mut whole);
    whole
}

/// The component with start code that never returns.
pub(crate) fn with_endless_start(component: &[u8]) -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([], []);
    let mut functions = FunctionSection::new();
    functions.function(0);
    let mut endless = Function::new([]);
    for step in [
        Instruction::Loop(BlockType::Empty),
        Instruction::Br(0),
        Instruction::End,
        Instruction::End,
    ] {
        endless.instruction(&step);
    }
    let mut code = CodeSection::new();
    code.function(&endless);
    let mut module = Module::new();
    module.section(&types);
    module.section(&functions);
    module.section(&StartSection { function_index: 0 });
    module.section(&code);
    let mut instances = InstanceSection::new();
    instances.instantiate(core_modules(component), Vec::<(&str, ModuleArg)>::new());
    let mut whole = component.to_vec();
    ModuleSection(&module).append_to_component(&mut whole);
    instances.append_to_component(&mut whole);
    whole
}

/// How many core modules stand in the outermost component.
fn core_modules(component: &[u8]) -> u32 {
    let (mut modules, mut inside) = (0, 0_u32);
    for payload in Parser::new(0).parse_all(component) {
        let payload = payload.expect("a component");
        let is_module = matches!(payload, Payload::ModuleSection { .. });
        modules += u32::from(is_module && inside == 0);
        if is_module || matches!(payload, Payload::ComponentSection { .. }) {
            inside += 1;
        } else if matches!(payload, Payload::End(_)) {
            inside = inside.saturating_sub(1);
        }
    }
    modules
}

#[expect(
    clippy::disallowed_methods,
    reason = "how the repository's commands say where the pieces are"
)]
fn component(name: &str) -> Vec<u8> {
    match std::env::var_os("FROGBOT_PIECES_DIR") {
        Some(folder) => read(&Path::new(&folder).join(format!("{name}.wasm"))),
        None => built(name),
    }
}

fn built(name: &str) -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let target = root.join("target/pieces");
    let status = Command::new("cargo")
        .current_dir(&root)
        .args([
            "build",
            "--quiet",
            "-Zbuild-std=std,panic_abort",
            "--target",
            "wasm32-unknown-unknown",
        ])
        .args(["--profile", "piece", "-p", name, "--target-dir"])
        .arg(&target)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTC", "/usr/bin/rustc")
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", "wasm-ld")
        .status()
        .expect("cargo runs");
    assert!(
        status.success(),
        "`{name}` was not built; install Debian's `rustc-web rust-web-src lld`"
    );
    let module = read(&target.join(format!("wasm32-unknown-unknown/piece/{name}.wasm")));
    let mut encoder = ComponentEncoder::default();
    encoder
        .validate(true)
        .module(&module)
        .expect("a module with its world");
    encoder.encode().expect("a component")
}

fn read(path: &PathBuf) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
