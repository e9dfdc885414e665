//! The twin of a GPU on the host: compiles the kernels with a C++ compiler and runs them, launched as
//! they are on a GPU, a thread of a block after the other.

use crate::network::ops::cuda::{Arguments, Launch, Number};
use candle_core::{Tensor, Var};
use std::ffi::{CString, c_void};
use std::path::Path;
use std::process::Command;
use std::sync::{LazyLock, Mutex};

/// The kernels, compiled for the host.
pub(crate) struct Twin {
    /// Whether the threads of a block run in falling order.
    falling: bool,
}

/// The library's handle; a kernel at a time, for their fibers have one home.
static LIBRARY: LazyLock<Mutex<usize>> = LazyLock::new(|| Mutex::new(load()));

fn load() -> usize {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/network/ops/cuda");
    let directory = tempfile::tempdir().unwrap();
    let library = directory.path().join("twin.so");
    let done = Command::new("c++")
        .args(["-std=c++17", "-O1", "-Wall", "-Werror", "-ffp-contract=off", "-shared", "-fPIC"])
        .args(["-x", "c++"])
        .arg(sources.join("all.cu"))
        .arg("-o")
        .arg(&library)
        .status()
        .expect("a C++ compiler, c++, compiles the kernels for this test");
    assert!(done.success(), "the kernels do not compile for the host");
    let path = CString::new(library.to_str().unwrap()).unwrap();
    // SAFETY: a library of our own, whose initialisers do nothing.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
    assert!(!handle.is_null(), "the twin of the kernels cannot be loaded");
    handle as usize
}

type Kernel = unsafe extern "C" fn(*const u32, u32, u32, i32, *const c_void);

fn symbol(library: usize, name: &str) -> *mut c_void {
    let c_name = CString::new(name).unwrap();
    // SAFETY: the handle is that of a library that stays loaded.
    let found = unsafe { libc::dlsym(library as *mut c_void, c_name.as_ptr()) };
    assert!(!found.is_null(), "no kernel is called {name}");
    found
}

impl Twin {
    /// What a kernel has to be checked with: all numbers, and both orders of its threads, of which one
    /// gives wrong results if threads read what others write without a barrier between them.
    pub(crate) fn all() -> impl Iterator<Item = (Number, Twin)> {
        let numbers = [Number::F32, Number::Bf16].into_iter();
        numbers.flat_map(|number| [false, true].map(|falling| (number, Twin { falling })))
    }

    /// Runs a kernel whose arguments are addresses on the host.
    pub(crate) fn run<A: Arguments>(&self, launch: Launch<A>) {
        let library = LIBRARY.lock().unwrap();
        let (kernel, size) = (
            symbol(*library, launch.kernel),
            symbol(*library, &format!("size_of_{}", launch.kernel)),
        );
        // SAFETY: the signatures are those in host.h; the arguments are of the size that the kernel
        // expects, and point to memory of the caller.
        unsafe {
            let size: unsafe extern "C" fn() -> u32 = std::mem::transmute(size);
            assert_eq!(size() as usize, size_of::<A>(), "arguments of {}", launch.kernel);
            let kernel: Kernel = std::mem::transmute(kernel);
            let arguments = (&raw const launch.arguments).cast();
            let (threads, bytes) = (launch.threads, launch.shared_bytes);
            kernel(launch.blocks.as_ptr(), threads, bytes, i32::from(self.falling), arguments);
        }
    }
}

/// Numbers as they would lie on a GPU.
#[derive(Clone, Debug)]
pub(crate) enum Host {
    F32(Vec<f32>),
    Bf16(Vec<u16>),
}

impl Host {
    pub(crate) fn new(number: Number, values: &[f32]) -> Host {
        match number {
            Number::F32 => Host::F32(values.to_vec()),
            Number::Bf16 => {
                // To the nearest, ties to even.
                let round = |x: &f32| {
                    let bits = x.to_bits();
                    ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16) as u16
                };
                Host::Bf16(values.iter().map(round).collect())
            }
        }
    }

    pub(crate) fn zeros(number: Number, count: usize) -> Host {
        Host::new(number, &vec![0.0; count])
    }

    /// As many zeros.
    pub(crate) fn like(&self) -> Host {
        match self {
            Host::F32(x) => Host::F32(vec![0.0; x.len()]),
            Host::Bf16(x) => Host::Bf16(vec![0; x.len()]),
        }
    }

    pub(crate) fn floats(&self) -> Vec<f32> {
        match self {
            Host::F32(x) => x.clone(),
            Host::Bf16(x) => x.iter().map(|x| f32::from_bits(u32::from(*x) << 16)).collect(),
        }
    }

    pub(crate) fn address(&self) -> u64 {
        match self {
            Host::F32(x) => x.as_ptr() as u64,
            Host::Bf16(x) => x.as_ptr() as u64,
        }
    }

    /// Of what a kernel writes to.
    pub(crate) fn address_mut(&mut self) -> u64 {
        match self {
            Host::F32(x) => x.as_mut_ptr() as u64,
            Host::Bf16(x) => x.as_mut_ptr() as u64,
        }
    }
}

/// Fails where a kernel's result is not the one expected, to the rounding of its numbers.
pub(crate) fn close(number: Number, found: &Host, expected: &[f32]) {
    let found = found.floats();
    assert_eq!(found.len(), expected.len());
    let tolerance = match number {
        Number::F32 => 2e-5,
        Number::Bf16 => 1e-2,
    };
    let largest = expected.iter().fold(1f32, |most, x| most.max(x.abs()));
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let difference = (found - expected).abs();
        assert!(difference <= tolerance * largest, "{i}: {found}, expected {expected}");
    }
}

/// `n` numbers of a wave that begins at `phase`.
pub(crate) fn values(n: usize, phase: f32) -> Vec<f32> {
    (0..n).map(|i| (i as f32 * 1.3 + phase).sin()).collect()
}

/// The gradient of the sum of `f(x) · weights`.
pub(crate) fn gradients(x: &[&Var], y: &Tensor, weights: &Tensor) -> Vec<Vec<f32>> {
    let all = (y * weights).unwrap().sum_all().unwrap().backward().unwrap();
    let flat = |var: &&Var| all.get(var).unwrap().flatten_all().unwrap().to_vec1().unwrap();
    x.iter().map(flat).collect()
}
