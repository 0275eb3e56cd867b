// The single file's workshop: the same program and glue once more, in a worker from a blob, or in the page where that may
// have no workers. It is made of what the file carries already. WebKit can leave a worker asleep when its program is compiled:
// a clock that ticks until then wakes it. On a file from the disk its workers can read no files: then there is none.
const program = document.getElementById("program");
const workshop = `{${document.getElementById("glue").textContent}
const script = self.document?.currentScript;
const failed = (error) => script ? script.dispatchEvent(new ErrorEvent("error", { message: error.message })) : setTimeout(() => { throw error; });
const awake = setInterval(() => {}, 100);
(${unpacked})("${program.textContent}").then(async (wasm) => (await new Blob(["?"]).arrayBuffer(), wasm_bindgen)({ module_or_path: wasm })).catch(failed).finally(() => clearInterval(awake))}`;
program.dataset.workshop = URL.createObjectURL(new Blob([workshop], { type: "text/javascript" }));
