//! A small language and random terms of it, for tests.

use crate::network::ops::operation::test::with_formulas;
use crate::tokens::literals::Literals;
use crate::tokens::vocabulary::Vocabulary;
use candle_core::{DType, Device, Result, Tensor, Var};
use egraph::{Leaf, LeafValue, OpId, SortId, System, TermBank, TermId, Value};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;

/// Integers and truth values, with operators of arity 0 to 3.
pub fn system() -> System {
    System::parse(
        "(sort Int) (sort Bool)
         (op + (Int Int) Int) (op * (Int Int) Int) (op neg (Int) Int) (op one () Int)
         (op < (Int Int) Bool) (op && (Bool Bool) Bool) (op select (Bool Int Int) Int)
         (literal i64 Int) (literal bool Bool) (variable Int)
         (rewrite (+ ?a ?b) (+ ?b ?a) :name add-comm)",
    )
    .unwrap()
}

/// A vocabulary in which a few numbers are whole words, and literals are spelled.
pub fn vocabulary() -> Vocabulary {
    vocabulary_of(Literals::Spelled)
}

/// The same with literals as tokens in this way.
pub fn vocabulary_of(literals: Literals) -> Vocabulary {
    let counts = (0..20).map(|i| (i.to_string(), 100)).collect::<FxHashMap<_, _>>();
    Vocabulary::build(system().language, literals, &counts).unwrap()
}

/// A random term of sort Int with about `size` nodes.
pub fn random_term(bank: &mut TermBank, seed: u64, size: usize) -> TermId {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    grow(bank, &mut rng, SortId(0), size)
}

fn grow(bank: &mut TermBank, rng: &mut ChaCha8Rng, sort: SortId, size: usize) -> TermId {
    let language = bank.language().clone();
    if size > 1 {
        let ops: Vec<u32> = (0..language.operators.len() as u32)
            .filter(|i| language.operators[*i as usize].result == sort)
            .collect();
        let op = OpId(ops[rng.random_range(0..ops.len())]);
        let args = language.op(op).args.clone();
        let each = (size - 1) / args.len().max(1);
        let children: Vec<TermId> = args.iter().map(|s| grow(bank, rng, *s, each)).collect();
        return bank.apply(op, &children);
    }
    let value = match (sort.0, rng.random_range(0..4)) {
        (0, 0) => LeafValue::Literal(Value::Int(rng.random::<i64>() >> rng.random_range(0..63))),
        (0, 1) => LeafValue::Literal(Value::Int(rng.random_range(-3..30))),
        (0, _) => LeafValue::Variable(format!("x{}", rng.random_range(0..20))),
        _ => LeafValue::Literal(Value::Bool(rng.random())),
    };
    bank.leaf(&Leaf { sort, value })
}

/// Fails unless the gradient of `f` by `var` is what differences of `f` say, to within `tolerance`.
pub fn assert_gradient(var: &Var, tolerance: f32, f: impl Fn(&Tensor) -> Tensor) {
    let gradients = f(var).backward().unwrap();
    let gradient = gradients.get(var).unwrap().flatten_all().unwrap().to_vec1::<f32>().unwrap();
    let base: Vec<f32> = var.flatten_all().unwrap().to_vec1().unwrap();
    for (i, gradient) in gradient.iter().enumerate() {
        let shifted = |by: f32| {
            let mut x = base.clone();
            x[i] += by;
            let x = Tensor::from_vec(x, var.shape(), &Device::Cpu).unwrap();
            f(&x).to_scalar::<f32>().unwrap()
        };
        let difference = (shifted(1e-2) - shifted(-1e-2)) / 2e-2;
        assert!((difference - gradient).abs() < tolerance, "{difference} {gradient}");
    }
}

/// A variable of numbers between −1 and 1, others for another phase.
pub fn waves(shape: &[usize], phase: f32) -> Var {
    let data: Vec<f32> =
        (0..shape.iter().product()).map(|i: usize| (i as f32 * 1.3 + phase).sin()).collect();
    Var::from_vec(data, shape, &Device::Cpu).unwrap()
}

/// A scalar that depends on each element of `x` in another way.
pub fn weighted(x: &Tensor) -> Tensor {
    (x * waves(x.dims(), 0.4).as_tensor()).unwrap().sum_all().unwrap()
}

/// Fails unless two tensors differ by at most `tolerance`, where numbers are larger than one by that part of the largest.
pub fn close(found: &Tensor, expected: &Tensor, tolerance: f32) {
    let largest = |x: &Tensor| {
        let x = x.to_dtype(DType::F32).unwrap().abs().unwrap().max_all().unwrap();
        x.to_scalar::<f32>().unwrap()
    };
    let difference = largest(&(found.to_dtype(DType::F32).unwrap() - expected).unwrap());
    assert!(difference <= tolerance * largest(expected).max(1.0), "{difference}");
}

/// Fails unless an operation's result is that of a formula, and its gradients by `vars` are.
pub fn same_as_formula(vars: &[&Var], result: &Tensor, formula: &Tensor) {
    close(result, formula, 1e-5);
    let (found, expected) =
        (weighted(result).backward().unwrap(), weighted(formula).backward().unwrap());
    for var in vars {
        close(found.get(var).unwrap(), expected.get(var).unwrap(), 1e-5);
    }
}

/// Fails unless a GPU's formula of an operation gives what the processor's loops do, the result and all gradients: with
/// f32, and with activations of bf16, if there are any, to what 8 bits allow.
pub fn formula_agrees(
    activations: &[&Var],
    parameters: &[&Var],
    operation: impl Fn(&[&Tensor]) -> Result<Tensor>,
) {
    for (dtype, tolerance) in [(DType::F32, 2e-5), (DType::BF16, 2e-2)] {
        if dtype == DType::BF16 && activations.is_empty() {
            continue;
        }
        let var = |x: Result<Tensor>| Var::from_tensor(&x.unwrap().detach()).unwrap();
        let of_formula: Vec<Var> = activations.iter().map(|x| var(x.to_dtype(dtype))).collect();
        let of_loops: Vec<Var> =
            of_formula.iter().map(|x| var(x.to_dtype(DType::F32).unwrap().copy())).collect();
        let result = |vars: &[Var]| {
            let all = vars.iter().chain(parameters.iter().copied()).map(Var::as_tensor);
            operation(&all.collect::<Vec<_>>()).unwrap()
        };
        let gradients =
            |result: &Tensor| weighted(&result.to_dtype(DType::F32).unwrap()).backward().unwrap();
        let expected = result(&of_loops);
        let wanted = gradients(&expected);
        let (found, given) = with_formulas(|| {
            let found = result(&of_formula);
            let given = gradients(&found);
            (found, given)
        });
        assert_eq!(found.dtype(), if activations.is_empty() { expected.dtype() } else { dtype });
        close(&found, &expected, tolerance);
        for (var, of_loops) in of_formula.iter().zip(&of_loops) {
            assert_eq!(given.get(var).unwrap().dtype(), dtype);
            close(given.get(var).unwrap(), wanted.get(of_loops).unwrap(), tolerance);
        }
        for var in parameters {
            assert_eq!(given.get(var).unwrap().dtype(), DType::F32);
            close(given.get(var).unwrap(), wanted.get(var).unwrap(), tolerance);
        }
    }
}
