//! What to copy: a value with the words around it that make it a setting of an engine.

use super::cells;
use super::facts::Knob;
use super::shape::Attention;
use super::translate::{Assumptions, Server};
use super::ways::Way;
use crate::decimal;

/// What to copy.
pub(super) fn flag(way: Way, value: &str, server: &Server, assumed: &Assumptions) -> String {
    let start = way.knob().map_or("", |knob: &Knob| knob.flag);
    match way {
        Way::TensorrtLlmTokens => ["kv_cache_config: {max_tokens: ", value, "}"].concat(),
        Way::TensorrtLlmCpp => ["kv_cache_free_gpu_mem_fraction: ", value].concat(),
        Way::VllmBytes => {
            // The free-memory check still uses the fraction, so a default above what is free must be lowered.
            let ceiling = server.total.0 / assumed.physical_for(server.total).0;
            let flag = [start, value].concat();
            if Way::Vllm.default_value().is_some_and(|default| ceiling < default) {
                let most = decimal::write((ceiling * 100.0).floor() / 100.0, 2);
                [&flag, " --gpu-memory-utilization ", &most].concat()
            } else {
                flag
            }
        }
        Way::LlamaCpp => {
            let stored = assumed.shape.and_then(|shape| cells::row_type(shape.stored));
            let name = stored.map_or("f16", |row| row.name);
            let mla = assumed.shape.is_some_and(|shape| shape.attention == Attention::Mla);
            let v = if mla { String::new() } else { [" -ctv ", name].concat() };
            [start, value, " -ctk ", name, &v, " -ngl all"].concat()
        }
        Way::Ollama => [start, value, " OLLAMA_NUM_PARALLEL=1"].concat(),
        _ => [start, value].concat(),
    }
}
