// search.js - the search box, over the entries of found.js; the filter of the table of names.
// Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
const box = document.getElementById("search"), list = document.getElementById("found");
let chosen = 0;

// The lower, the better; -1: not at all.
function rank([title, , words, names], terms) {
  let sum = 0;
  for (const term of terms) {
    const plain = title.toLowerCase().replace(/^(tn|np|jnp|jax|torch|lax)[:.]+/, "");
    const bare = term.replace(/^tn::/, "");
    const others = names.toLowerCase().split(" ");
    if (plain === bare || title.toLowerCase() === term) sum += 0;
    else if (others.includes(term) || others.some(name => name.split(".").pop() === term)) sum += 1;
    else if (plain.startsWith(bare)) sum += 2;
    else if (plain.includes(bare)) sum += 3;
    else if (others.some(name => name.includes(term))) sum += 4;
    else if (words.toLowerCase().includes(term)) sum += 6;
    else return -1;
  }
  return sum;
}

function show() {
  const terms = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = terms.length
    ? entries.map(entry => [rank(entry, terms), entry]).filter(([value]) => value >= 0)
        .sort(([a, x], [b, y]) => a - b || x[0].length - y[0].length).slice(0, 12)
    : [];
  chosen = 0;
  list.replaceChildren(...found.map(([, [title, page, words]]) => {
    const item = document.createElement("li"), link = document.createElement("a");
    const name = document.createElement("code"), note = document.createElement("span");
    name.textContent = title;
    note.textContent = words.replaceAll("`", "");
    link.href = page;
    link.append(name, " ", note);
    item.append(link);
    return item;
  }));
  list.hidden = !found.length;
  mark();
}

function mark() {
  [...list.children].forEach((item, i) => item.classList.toggle("chosen", i === chosen));
}

box.addEventListener("input", show);
box.addEventListener("keydown", event => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && list.children.length) {
    chosen = (chosen + step + list.children.length) % list.children.length;
    mark();
    event.preventDefault();
  } else if (event.key === "Escape") {
    box.value = "";
    show();
  }
});
box.form.addEventListener("submit", event => {
  event.preventDefault();
  list.children[chosen]?.querySelector("a").click();
});
document.addEventListener("keydown", event => {
  if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
    box.focus();
    event.preventDefault();
  }
});
document.addEventListener("click", event => {
  if (!box.form.contains(event.target)) list.hidden = true;
});

const filter = document.getElementById("filter");
if (filter) {
  const rows = [...document.querySelectorAll("table.names tbody tr")];
  const apply = () => {
    const terms = filter.value.toLowerCase().split(/\s+/);
    for (const row of rows) row.hidden = !terms.every(term => row.textContent.toLowerCase().includes(term));
  };
  filter.addEventListener("input", apply);
  if (location.search) {
    filter.value = decodeURIComponent(location.search.slice(1));
    apply();
  }
}
