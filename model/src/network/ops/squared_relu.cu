// Squared ReLU and its gradient.
#include "cuda/common.cuh"

struct SquaredRelu {
  u64 x, grad, out, count; // grad: 0 in the forward pass
};

template <class T> DEVICE void squared_relu(const SquaredRelu &a) {
  for (u64 i = thread_number(); i < a.count; i += threads()) {
    float x = get(((const T *)a.x)[i]), y = x <= 0 ? 0 : x; // So asked, what is no number stays none.
    put(((T *)a.out)[i], a.grad ? 2 * y * get(((const T *)a.grad)[i]) : y * y);
  }
}
KERNEL(squared_relu_f32, SquaredRelu, squared_relu<float>)
KERNEL(squared_relu_bf16, SquaredRelu, squared_relu<bf16>)
