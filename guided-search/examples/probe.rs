use egraph::*;
use guided_search::{
    budget::Cap,
    stage::{Side, Stage},
    task::TaskSet,
};
use model::{DecodeOptions, GuideModel, Strategy};
use std::sync::Arc;
fn main() {
    let system =
        Arc::new(System::load(std::path::Path::new("configs/systems/halide.rules")).unwrap());
    let set = TaskSet::load(std::path::Path::new("/tmp/t6.parquet"), &system).unwrap();
    let m = GuideModel::load(
        std::path::Path::new("/tmp/qs/model"),
        &model::cli::DeviceChoice::Cpu.open(),
    )
    .unwrap();
    for temp in [0.3, 0.7, 1.0] {
        let (mut n, mut s, mut t, mut big) = (0, 0, 0, 0);
        for (i, task) in set.tasks.iter().enumerate() {
            let mut bank = TermBank::new(system.language.clone());
            let c = task.terms(&mut bank).unwrap();
            let (a, b) = (c[0], c[c.len() - 1]);
            let lim = Cap::Nodes(1200).limits(u64::MAX);
            let st = Stage::grow(
                &system,
                &bank,
                &[a],
                &[b],
                &SaturationConfig { limits: lim, ..Default::default() },
                true,
            );
            let lim = Cap::Nodes(100000).limits(u64::MAX);
            let st2 = Stage::grow(
                &system,
                &bank,
                &[a],
                &[],
                &SaturationConfig { limits: lim, ..Default::default() },
                true,
            );
            let g = m
                .guides(
                    &mut bank,
                    &[(a, b)],
                    &DecodeOptions {
                        strategy: Strategy::Nucleus { p: 0.95, temperature: temp },
                        guides: 10,
                        max_size: 60,
                        seed: i as u64,
                    },
                )
                .unwrap()
                .pop()
                .unwrap();
            if i < 3 && temp == 0.7 {
                println!("S {}\nT {}", bank.text(a), bank.text(b));
            }
            for x in &g {
                n += 1;
                if i < 3 && temp == 0.7 {
                    println!("   {} {}", x.log_probability, bank.text(x.term));
                }
                if st.equal_to(&bank, Side::Start, x.term).is_some() {
                    s += 1
                }
                if st.equal_to(&bank, Side::Target, x.term).is_some() {
                    t += 1
                }
                if st2.equal_to(&bank, Side::Start, x.term).is_some() {
                    big += 1
                }
            }
        }
        println!(
            "temp {temp}: {n} guides, {s} in start class, {t} in target class, {big} in big start class"
        );
    }
}
