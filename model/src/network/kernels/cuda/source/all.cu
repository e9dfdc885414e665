// All kernels, as one unit:
//     nvcc -ptx -arch=compute_80 -O3 -std=c++17 -o kernels.ptx all.cu
#include "adamw.cu"
#include "dropout.cu"
#include "embedding.cu"
#include "loss.cu"
#include "rope.cu"
#include "rows.cu"
