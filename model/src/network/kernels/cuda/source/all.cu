// All kernels, as one unit:
//     nvcc -ptx -arch=compute_80 -O3 -std=c++17 -o kernels.ptx all.cu
#include "attention.cu"
#include "rows.cu"
