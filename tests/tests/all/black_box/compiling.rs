//! Compiling in a process of its own: what it takes is bounded, what it made is kept, and nothing that was changed is run.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use runtime::{
    ChannelSetup, ChildCompiler, CompileLimits, Compiler, LoadProblem, LocatorKey, Runtime, RuntimeConfig,
    Secret, SecretRef, SlotGrant, Stage,
};
use tests::host_process::{Artifacts, Line};
use wasm_encoder::{
    BlockType, CodeSection, ComponentSection, Function, FunctionSection, Instruction, Module, ModuleSection,
    TypeSection, ValType,
};

use super::forum_world::{ForumWorld, ONE_QUESTION};

const COMPILED: &str = "compiled";

#[tokio::test]
async fn a_piece_is_compiled_once_and_again_when_its_code_was_changed() {
    let mut world = ForumWorld::start(ONE_QUESTION).await;
    assert_eq!(compilations(&world), 1);

    world.kill().await;
    world.restart().await;
    assert_eq!(compilations(&world), 0, "{}", world.host().log().text());

    let entry = code(&world);
    let whole = fs::read(&entry).unwrap();
    let mut changed = whole.clone();
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    fs::write(&entry, changed).unwrap();
    world.kill().await;
    world.restart().await;
    let log = world.host().log().text();
    assert!(log.contains("was not made here, or was changed"), "{log}");
    assert_eq!(compilations(&world), 1, "{log}");
    assert_eq!(fs::read(&entry).unwrap().len(), whole.len(), "kept again");

    let card = world.asked().await;
    world.press("ben", &card, "Blue").await;
    world.finished("Blue it is.").await;
}

/// The host starts with another secret in its store: to it, code of the one before is a stranger's.
#[tokio::test]
async fn code_of_another_installation_is_not_run() {
    let mut world = ForumWorld::start(ONE_QUESTION).await;
    world.kill().await;
    for file in fs::read_dir(world.installation.folder()).unwrap() {
        let path = file.unwrap().path();
        if path.to_string_lossy().contains(".db") {
            fs::remove_file(path).unwrap();
        }
    }
    world.restart().await;
    let log = world.host().log().text();
    assert!(log.contains("was not made here, or was changed"), "{log}");
    assert_eq!(compilations(&world), 1, "{log}");
}

#[tokio::test]
async fn a_component_that_takes_the_compiler_too_long_is_refused_and_the_host_goes_on() {
    let limits = CompileLimits {
        cpu_max: Duration::from_secs(1),
        ..CompileLimits::default()
    };
    let runtime = runtime_with(limits);
    let problem = loaded(&runtime, long_sums()).await.unwrap_err();
    assert_eq!(problem.stage, Stage::Compiling, "{problem}");
    assert_eq!(
        problem.reason, "compiling took more than 1 s of processor time",
        "{problem}"
    );
}

#[tokio::test]
async fn a_component_that_takes_the_compiler_too_long_on_the_wall_is_refused() {
    let limits = CompileLimits {
        wall_max: Duration::from_millis(100),
        ..CompileLimits::default()
    };
    let problem = loaded(&runtime_with(limits), long_sums()).await.unwrap_err();
    assert!(
        problem.reason.starts_with("compiling took longer than"),
        "{problem}"
    );
}

#[tokio::test]
async fn a_component_that_takes_the_compiler_too_much_memory_is_refused() {
    let limits = CompileLimits {
        memory_bytes_max: 1_500 * 1024 * 1024,
        ..CompileLimits::default()
    };
    let problem = loaded(&runtime_with(limits), many_variables()).await.unwrap_err();
    assert_eq!(
        problem.reason, "compiling took more than 1572864000 bytes of memory",
        "{problem}"
    );
}

#[tokio::test]
async fn the_child_compiles_what_this_process_can_run() {
    let component = fs::read(artifacts().piece("forum")).unwrap();
    let info = loaded(&runtime_with(CompileLimits::default()), component)
        .await
        .unwrap();
    assert_eq!(info.piece, "forum");
}

fn artifacts() -> Artifacts {
    Artifacts::find().unwrap()
}

fn runtime_with(limits: CompileLimits) -> Runtime {
    let child = ChildCompiler {
        program: artifacts().binary,
        arguments: vec!["compile-piece".to_owned()],
        limits,
        cache: None,
    };
    let config = RuntimeConfig {
        compiler: Compiler::Child(child),
        pure_calls_max: 16,
        acting_calls_max: 16,
        ..RuntimeConfig::default()
    };
    Runtime::new(config, LocatorKey::new([0; 32])).unwrap()
}

async fn loaded(runtime: &Runtime, component: Vec<u8>) -> Result<ports::pieces::ChannelInfo, LoadProblem> {
    let secret = |name: &str| -> (String, SecretRef) { (name.to_owned(), Arc::new(Secret::new("a secret"))) };
    let base = "http://127.0.0.1:9".parse().unwrap();
    let grant = SlotGrant {
        base: Some(base),
        allow_private: vec!["127.0.0.1:9".to_owned()],
    };
    let setup = ChannelSetup {
        channel: "forum".to_owned(),
        options: serde_json::Map::new(),
        grants: BTreeMap::from([("forum".to_owned(), grant)]),
        secrets: BTreeMap::from([secret("token"), secret("webhook_secret")]),
        account_secrets: BTreeMap::new(),
    };
    runtime.load(setup, component).await
}

/// A good piece that also carries a module which nobody needs, whose function is a long sum, each value needed to the end:
/// its registers take time that grows with the square.
fn long_sums() -> Vec<u8> {
    const FUNCTIONS: usize = 40;
    const VALUES: i64 = 40_000;
    let mut sum = Function::new([]);
    for value in 0..VALUES {
        sum.instruction(&Instruction::LocalGet(0));
        sum.instruction(&Instruction::I64Const(value));
        sum.instruction(&Instruction::I64Mul);
    }
    for _ in 1..VALUES {
        sum.instruction(&Instruction::I64Add);
    }
    sum.instruction(&Instruction::End);
    with_functions(&vec![sum; FUNCTIONS])
}

/// The same, with a function that carries many variables through many loops: 40 kB of it become millions of values.
fn many_variables() -> Vec<u8> {
    const VARIABLES: u32 = 10_000;
    const LOOPS: usize = 3_000;
    let mut function = Function::new([(VARIABLES, ValType::I64)]);
    for variable in 1..=VARIABLES {
        function.instruction(&Instruction::LocalGet(0));
        function.instruction(&Instruction::LocalSet(variable));
    }
    for _ in 0..LOOPS {
        function.instruction(&Instruction::Loop(BlockType::Empty));
        function.instruction(&Instruction::LocalGet(0));
        function.instruction(&Instruction::I64Eqz);
        function.instruction(&Instruction::BrIf(0));
        function.instruction(&Instruction::End);
    }
    function.instruction(&Instruction::LocalGet(0));
    for variable in 1..=VARIABLES {
        function.instruction(&Instruction::LocalGet(variable));
        function.instruction(&Instruction::I64Add);
    }
    function.instruction(&Instruction::End);
    with_functions(&[function])
}

/// The forum's piece with one more module, of functions from a number to a number.
fn with_functions(bodies: &[Function]) -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([ValType::I64], [ValType::I64]);
    let (mut functions, mut code) = (FunctionSection::new(), CodeSection::new());
    for body in bodies {
        functions.function(0);
        code.function(body);
    }
    let mut module = Module::new();
    module.section(&types);
    module.section(&functions);
    module.section(&code);
    let mut whole = fs::read(artifacts().piece("forum")).unwrap();
    ModuleSection(&module).append_to_component(&mut whole);
    whole
}

/// How often the host has compiled since it started.
fn compilations(world: &ForumWorld) -> usize {
    let compiled = |line: &&Line| line.message() == COMPILED;
    world.host().log().lines().iter().filter(compiled).count()
}

/// The one entry that there is.
fn code(world: &ForumWorld) -> PathBuf {
    let entries = fs::read_dir(world.installation.folder().join(COMPILED)).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut codes = paths.filter(|path| path.extension().is_some_and(|extension| extension == "code"));
    let code = codes.next().unwrap();
    assert!(codes.next().is_none());
    code
}
