// The form above the evidence ledger: shows the entries that match, and keeps the choice in the address.
// Without this script the form is not there and every entry is.
(function () {
  "use strict";
  var form = document.querySelector("form.ledger-filter");
  if (!form) return;

  var NAMES = ["kind", "verdict", "source", "text"];
  var all = form.parentNode, entries = Array.from(all.querySelectorAll(".ledger-entry"));
  var texts = entries.map(function (entry) { return entry.textContent.toLowerCase(); });

  function matches(entry, number) {
    var chosen = ["kind", "verdict", "source"].every(function (name) {
      var value = form.elements[name].value;
      return !value || entry.dataset[name] === value;
    });
    var words = form.elements.text.value.toLowerCase().split(/\s+/);
    return chosen && words.every(function (word) { return texts[number].includes(word); });
  }

  function apply() {
    var shown = 0;
    entries.forEach(function (entry, number) {
      entry.hidden = !matches(entry, number);
      if (!entry.hidden) shown += 1;
    });
    all.querySelectorAll(".ledger-group").forEach(function (group) {
      group.hidden = !group.querySelector(".ledger-entry:not([hidden])");
    });
    all.querySelector(".ledger-nothing").hidden = shown > 0;
    form.querySelector("output").textContent =
      form.dataset.shown.replace("{shown}", shown).replace("{total}", entries.length);
  }

  function remember() {
    var address = new URL(location.href);
    NAMES.forEach(function (name) {
      var value = form.elements[name].value;
      if (value) address.searchParams.set(name, value);
      else address.searchParams.delete(name);
    });
    history.replaceState(history.state, "", address);
  }

  function recall() {
    var wanted = new URL(location.href).searchParams;
    NAMES.forEach(function (name) {
      var field = form.elements[name];
      field.value = wanted.get(name) || "";
      if (field.value !== (wanted.get(name) || "")) field.value = "";  // an option that is not there
    });
  }

  // A link to an entry shows it, whatever is filtered.
  function reveal() {
    var named = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!named || !named.classList.contains("ledger-entry") || !named.hidden) return;
    clear();
    named.scrollIntoView();
  }

  function clear() {
    NAMES.forEach(function (name) { form.elements[name].value = ""; });
    remember();
    apply();
  }

  form.addEventListener("input", function () { apply(); remember(); });
  form.addEventListener("reset", function (event) { event.preventDefault(); clear(); });
  form.addEventListener("submit", function (event) { event.preventDefault(); });
  window.addEventListener("hashchange", reveal);
  form.hidden = false;
  recall();
  apply();
  reveal();
})();
