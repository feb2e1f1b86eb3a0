//! The `migrate` command. Everything it does lives in the library; see [`dynamigrate::cli`].

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    dynamigrate::cli::main()
}
