//! The story as one page that needs no program: all steps one below the other, for paper and for whoever has no
//! WebAssembly.

