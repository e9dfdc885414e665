//! Compiles the kernels for NVIDIA GPUs, if the feature `cuda` asks for them.

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// The folder of operations; `cuda/all.cu` in it includes all kernels.
const SOURCES: &str = "src/network/ops";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_CUDA").is_none() {
        return;
    }
    println!("cargo::rerun-if-changed={SOURCES}");
    for name in ["CUDA_HOME", "CUDA_COMPUTE_CAP", "PATH"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    let own = env::var_os("CUDA_HOME").map(|home| PathBuf::from(home).join("bin/nvcc"));
    let nvcc = own.filter(|nvcc| nvcc.exists()).unwrap_or_else(|| PathBuf::from("nvcc"));
    // PTX for one kind of GPU is translated for all later ones where it is loaded.
    let kind = env::var("CUDA_COMPUTE_CAP").unwrap_or_else(|_| "80".to_owned());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("kernels.ptx");
    let done = Command::new(&nvcc)
        .args(["-ptx", "-O3", "-std=c++17", &format!("-arch=compute_{kind}"), "-o"])
        .arg(out)
        .arg(format!("{SOURCES}/cuda/all.cu"))
        .status();
    match done {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("{} of {SOURCES}: {status}", nvcc.display()),
        Err(error) => panic!(
            "the feature cuda needs the compiler of the CUDA toolkit, {}, in CUDA_HOME/bin or PATH: {error}",
            nvcc.display()
        ),
    }
}
