// Unpacks gzip by the browser itself.

async function unpacked(text) {
  const packed = Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}
