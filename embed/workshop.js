// The single file's workshop: the same program and glue once more, in a worker from a blob, or in the page where that may
// have no workers. It is made of what the file carries already.
const program = document.getElementById("program");
const workshop = `{${document.getElementById("glue").textContent}
(${unpacked})("${program.textContent}").then((wasm) => wasm_bindgen({ module_or_path: wasm })).catch((error) => setTimeout(() => { throw error; }))}`;
program.dataset.workshop = URL.createObjectURL(new Blob([workshop], { type: "text/javascript" }));
