// What the page can do better with a script: it works without. No request leaves from here.
(() => {
  "use strict";
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // Hide what only helps where there is no script, show what only works with one.
  all("[data-no-script]").forEach((part) => { part.hidden = true; });
  all("[data-script]").forEach((part) => { part.hidden = false; });

  // The floor, moved: which candidates would be returned?
  const range = document.querySelector("#trial");
  if (range) {
    const rows = all("[data-score]");
    const limit = Number(range.dataset.limit);
    const told = document.querySelector("#trial-told");
    const move = () => {
      const floor = Math.round(Number(range.value) * 1e4) / 1e4;
      document.querySelector("#trial-value").value = floor.toFixed(4);
      range.setAttribute("aria-valuetext", floor.toFixed(4));
      all(".floor").forEach((line) => {
        line.setAttribute("x1", String(100 * floor));
        line.setAttribute("x2", String(100 * floor));
      });
      const names = [];
      rows.forEach((row) => {
        const judged = row.dataset.judged === "1";
        const reaches = judged && Number(row.dataset.score) >= floor;
        const returned = reaches && names.length < limit;
        if (returned) names.push(row.dataset.name);
        row.classList.toggle("dropped", !returned);
        const tag = row.querySelector(".tag");
        tag.textContent = returned ? "returned" : reaches ? `beyond ${limit}` :
          judged ? "dropped" : "not scored";
        tag.classList.toggle("good", returned);
      });
      told.textContent = `With a floor of ${floor.toFixed(4)}: ` +
        (names.length ? `${names.join(", ")}.` : "nothing would be returned.");
    };
    range.addEventListener("input", move);
    move();
  }

  // Ctrl+Enter asks, as Enter makes a new line.
  const task = document.querySelector("#task");
  if (task) {
    task.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) task.form.requestSubmit();
    });
  }

  // Filter as you type, over what is on this page; the server finds the rest.
  const search = document.querySelector("#q");
  if (search) {
    const rows = all("[data-said]");
    const told = document.querySelector("#found");
    search.addEventListener("input", () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      let count = 0;
      rows.forEach((row) => {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        count += row.hidden ? 0 : 1;
      });
      told.textContent = `${count} of the ${rows.length} shown here hold these words.`;
    });
  }

  // Copy a command.
  all("[data-copy]").forEach((button) => {
    button.addEventListener("click", async () => {
      const source = document.getElementById(button.dataset.copy);
      try {
        await navigator.clipboard.writeText(source.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(source);
        button.textContent = "Selected: press Ctrl+C";
      }
    });
  });
})();
