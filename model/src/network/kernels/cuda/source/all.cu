// All kernels, as one unit, which build.rs compiles where CUDA is asked for.
#include "adamw.cu"
#include "attention.cu"
#include "dropout.cu"
#include "embedding.cu"
#include "loss.cu"
#include "rope.cu"
#include "rows.cu"
