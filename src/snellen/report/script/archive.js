"use strict";
// The zip inside an element of the page: one file of it unpacked at a time, or all of it to be saved.
const archiveIn = (id) => {
  let bytes, entries;

  const opened = () => {
    if (entries) return entries;
    const packed = atob(document.getElementById(id).textContent.trim());
    bytes = new Uint8Array(packed.length);
    for (let place = 0; place < packed.length; place += 1) bytes[place] = packed.charCodeAt(place);
    const view = new DataView(bytes.buffer);
    const end = bytes.length - 22;
    let at = view.getUint32(end + 16, true);
    entries = new Map();
    for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
      const [named, extra, comment] = [28, 30, 32].map((place) => view.getUint16(at + place, true));
      const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + named));
      entries.set(name, {
        method: view.getUint16(at + 10, true), size: view.getUint32(at + 20, true), at: view.getUint32(at + 42, true),
      });
      at += 46 + named + extra + comment;
    }
    return entries;
  };

  const blob = async (name, type = "") => {
    const entry = opened().get(name);
    if (!entry) return null;
    const view = new DataView(bytes.buffer, entry.at);
    const start = entry.at + 30 + view.getUint16(26, true) + view.getUint16(28, true);
    const packed = new Blob([bytes.subarray(start, start + entry.size)], { type });
    if (entry.method === 0) return packed;
    const plain = await new Response(packed.stream().pipeThrough(new DecompressionStream("deflate-raw"))).blob();
    return new Blob([plain], { type });
  };

  return {
    has: (name) => opened().has(name),
    names: () => [...opened().keys()],
    blob,
    text: async (name) => (await blob(name)).text(),
    whole: () => { opened(); return new Blob([bytes], { type: "application/zip" }); },
  };
};

const save = (blob, name) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
};
