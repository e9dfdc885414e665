//! The twin of a GPU on the host: compiles the kernels with a C++ compiler and runs them, launched as
//! they are on a GPU, a thread of a block after the other. In tests it stands in the place of [`super::device`],
//! so that all that lies between an operation and its kernels is tested with them.

use crate::network::ops::cuda::launch::{Address, Arguments, Launch, Number, OperandOn};
use candle_core::Result;
use std::ffi::{CString, c_void};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU16, AtomicU32, Ordering::Relaxed};
use std::sync::{LazyLock, Mutex};

/// The kernels, compiled for the host.
pub(crate) struct Twin {
    /// Whether the threads of a block run in falling order.
    falling: bool,
}

/// Numbers as they would lie on a GPU.
pub(crate) enum Host {
    F32(Vec<AtomicU32>),
    Bf16(Vec<AtomicU16>),
}

pub(crate) use Host as Memory;
pub(crate) use Twin as Gpu;
/// A tensor on the twin.
pub(crate) type Operand<'a> = OperandOn<'a, Twin>;

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
}

/// Runs a kernel whose arguments are addresses on the host.
pub(crate) fn run<A: Arguments>(twin: &Twin, launch: Launch<A>) -> Result<()> {
    let library = LIBRARY.lock().unwrap();
    let (kernel, size) =
        (symbol(*library, launch.kernel), symbol(*library, &format!("size_of_{}", launch.kernel)));
    // SAFETY: the signatures are those in host.h; the arguments are of the size that the kernel
    // expects, and point to memory of the caller.
    unsafe {
        let size: unsafe extern "C" fn() -> u32 = std::mem::transmute(size);
        assert_eq!(size() as usize, size_of::<A>(), "arguments of {}", launch.kernel);
        let kernel: Kernel = std::mem::transmute(kernel);
        let arguments = (&raw const launch.arguments).cast();
        let (threads, bytes) = (launch.threads, launch.shared_bytes);
        kernel(launch.blocks.as_ptr(), threads, bytes, i32::from(twin.falling), arguments);
    }
    Ok(())
}

impl Host {
    pub(crate) fn new(number: Number, values: &[f32]) -> Host {
        match number {
            Number::F32 => Host::F32(values.iter().map(|x| x.to_bits().into()).collect()),
            Number::Bf16 => {
                // To the nearest, ties to even.
                let round = |x: &f32| {
                    let bits = x.to_bits();
                    (((bits + 0x7fff + ((bits >> 16) & 1)) >> 16) as u16).into()
                };
                Host::Bf16(values.iter().map(round).collect())
            }
        }
    }

    /// `n` numbers of a wave that begins at `phase`.
    pub(crate) fn wave(number: Number, n: usize, phase: f32) -> Host {
        Host::new(number, &(0..n).map(|i| (i as f32 * 1.3 + phase).sin()).collect::<Vec<_>>())
    }

    pub(crate) fn floats(&self) -> Vec<f32> {
        match self {
            Host::F32(x) => x.iter().map(|x| f32::from_bits(x.load(Relaxed))).collect(),
            Host::Bf16(x) => {
                x.iter().map(|x| f32::from_bits(u32::from(x.load(Relaxed)) << 16)).collect()
            }
        }
    }

    /// As an operation is given it.
    pub(crate) fn operand<'a>(&self, device: &'a Twin) -> Operand<'a> {
        let (number, address, count) = match self {
            Host::F32(x) => (Number::F32, x.as_ptr() as Address, x.len()),
            Host::Bf16(x) => (Number::Bf16, x.as_ptr() as Address, x.len()),
        };
        Operand { device, number, address, count }
    }
}

/// Where numbers begin.
pub(crate) fn address_of(host: &Host) -> Result<Address> {
    Ok(host.operand(&Twin { falling: false }).address)
}

/// Memory that a kernel is to fill, of what no kernel may leave behind.
pub(crate) fn room(_twin: &Twin, number: Number, count: usize) -> Result<Host> {
    Ok(Host::new(number, &vec![f32::NAN; count]))
}

/// Plain numbers that a kernel reads.
pub(crate) struct Uploaded<T>(Vec<T>);

impl<T> Uploaded<T> {
    pub(crate) fn address(&self) -> Address {
        self.0.as_ptr() as Address
    }
}

pub(crate) fn upload<T: Clone>(_twin: &Twin, data: &[T]) -> Result<Uploaded<T>> {
    Ok(Uploaded(data.to_vec()))
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
