//! Threads are ours alone, whatever RAYON_NUM_THREADS says: candle's would spin while they wait.

use candle_core::{DType, Device, Tensor};
use model::network::threads::one_thread_per_operation;
use std::process::Command;

/// The names of the threads of this process.
fn threads() -> Vec<String> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let name = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("comm")).ok();
    tasks.filter_map(|task| name(task.unwrap())).collect()
}

/// In a process of its own, for other tests start threads.
#[cfg(target_os = "linux")]
#[test]
fn not_for_the_sum_of_large_tensors() {
    let done = Command::new(std::env::current_exe().unwrap())
        .args(["candle_starts_no_threads::in_this_process", "--exact", "--ignored"])
        .env("RAYON_NUM_THREADS", "3")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
#[ignore = "not_for_the_sum_of_large_tensors runs it"]
fn in_this_process() {
    one_thread_per_operation();
    let before = threads();
    let x = Tensor::ones((1 << 10, 1 << 10), DType::F32, &Device::Cpu).unwrap();
    let sum = (&x + &x).unwrap();
    assert_eq!(sum.get(0).unwrap().get(0).unwrap().to_scalar::<f32>().unwrap(), 2.0);
    let started: Vec<String> =
        threads().into_iter().filter(|name| !before.contains(name)).collect();
    assert!(started.is_empty(), "{started:?}");
}
