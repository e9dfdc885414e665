//! `rope.cu`: rotary positions.

use crate::network::kernels::cuda::{Address, Arguments, Launch, Number, over};

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rope {
    /// `[rows, w]`
    pub(crate) x: Address,
    /// `[rows, w]`
    pub(crate) out: Address,
    pub(crate) rows: u32,
    pub(crate) w: u32,
    /// Columns that are turned, in heads of `each`.
    pub(crate) width: u32,
    pub(crate) each: u32,
    /// Row i is at place `first + i % places`.
    pub(crate) first: u32,
    pub(crate) places: u32,
    /// −1 in the backward pass.
    pub(crate) sign: f32,
}

// SAFETY: as the trait asks.
unsafe impl Arguments for Rope {}

impl Rope {
    pub(crate) fn launch(self, number: Number) -> Launch<Rope> {
        let count = u64::from(self.rows) * u64::from(self.w);
        over(number.pick("rope_f32", "rope_bf16"), count, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::attention::Heads;
    use crate::network::kernels::cuda::twin::{Host, Twin, close};
    use crate::network::kernels::rope::rope;
    use crate::tokens::relations::Buckets;
    use candle_core::{Device, Tensor};

    #[test]
    fn turned_queries_and_keys_are_those_of_the_cpu_and_turn_back() {
        let (batch, n, width, count) = (3, 20, 24, 2);
        let relations = Vec::new();
        let heads = Heads { width, count, relations, buckets: Buckets { k: 2 }, rope: true };
        for (number, twin) in Twin::all() {
            for w in [width, 2 * width] {
                let values: Vec<f32> = (0..batch * n * w).map(|i| (i as f32 * 0.7).sin()).collect();
                let x = Host::new(number, &values);
                let tensor = Tensor::from_vec(x.floats(), (batch, n, w), &Device::Cpu).unwrap();
                let expected = rope(&tensor, &heads, 5).unwrap().flatten_all().unwrap();
                let (mut out, mut back) = (x.like(), x.like());
                let mut turn = Rope {
                    x: x.address(),
                    out: out.address_mut(),
                    rows: (batch * n) as u32,
                    w: w as u32,
                    width: width as u32,
                    each: heads.each() as u32,
                    first: 5,
                    places: n as u32,
                    sign: 1.0,
                };
                twin.run(turn.launch(number));
                close(number, &out, &expected.to_vec1().unwrap());
                (turn.x, turn.out, turn.sign) = (out.address(), back.address_mut(), -1.0);
                twin.run(turn.launch(number));
                close(number, &back, &x.floats());
            }
        }
    }
}
