// All kernels, as one unit, which build.rs compiles where CUDA is asked for.
#include "../attention/attention.cu"
#include "../dropout.cu"
#include "../embedding.cu"
#include "../loss/loss.cu"
#include "sums.cu"
