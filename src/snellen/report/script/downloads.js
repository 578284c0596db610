"use strict";
// Saves a figure, or its numbers, from the files that the page carries.
(() => {
  const TYPES = { svg: "image/svg+xml", csv: "text/csv" };
  const carried = archiveIn("files");

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button.download");
    if (!button) return;
    const file = button.dataset.file;
    if (file === undefined) return save(carried.whole(), `${document.body.dataset.study}.zip`);
    save(await carried.blob(file, TYPES[file.split(".").pop()] ?? ""), file.split("/").pop());
  });
})();
