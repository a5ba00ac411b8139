// Small helps; every page reads completely without them. Nothing here loads anything.
(function () {
  "use strict";

  // The language switch leads to the same heading: the one being read, else the one in the address.
  // Heading ids are equal in both languages.
  var article = document.querySelector("article.md-content__inner");
  var headings = article
    ? Array.prototype.slice.call(article.querySelectorAll("h2[id], h3[id], h4[id], h5[id], h6[id]"))
    : [];

  function inView(element) {
    var box = element.getBoundingClientRect();
    return box.bottom > 0 && box.top < window.innerHeight;
  }

  function currentHash() {
    var named = location.hash.length > 1 &&
      document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (named && inView(named)) return location.hash;
    var line = window.innerHeight * 0.35, found = null;
    headings.forEach(function (heading) {
      if (heading.getClientRects().length && heading.getBoundingClientRect().top < line) found = heading;
    });
    if (window.scrollY < 40 || !found) return "";
    return "#" + found.id;
  }

  Array.prototype.forEach.call(document.querySelectorAll("a[data-ledger-language]"), function (link) {
    var page = link.getAttribute("href").split("#")[0];
    function update() { link.setAttribute("href", page + currentHash()); }
    // Before any way of following the link: click, middle click, context menu, keyboard.
    ["pointerenter", "pointerdown", "focus", "keydown", "click"].forEach(function (event) {
      link.addEventListener(event, update);
    });
    window.addEventListener("hashchange", update);
    update();
  });

  // What scrolls sideways must be reachable with the keyboard.
  function reachable() {
    var places = document.querySelectorAll(".ledger-scroll, div.arithmatex, .ledger-formula, .md-typeset__scrollwrap, .md-typeset table:not([class])");
    Array.prototype.forEach.call(places, function (element) {
      if (element.scrollWidth > element.clientWidth) element.setAttribute("tabindex", "0");
      else element.removeAttribute("tabindex");
    });
  }
  window.addEventListener("load", reachable);
  window.addEventListener("resize", reachable);
  document.addEventListener("change", reachable);

  // Code annotations are links whose number stands in CSS only: give them a name.
  if (article && window.MutationObserver) {
    var note = /^zh/.test(document.documentElement.lang) ? "注释 " : "Note ";
    var name = function () {
      Array.prototype.forEach.call(article.querySelectorAll(".md-annotation__index:not([aria-label])"), function (link) {
        var number = link.querySelector("[data-md-annotation-id]");
        link.setAttribute("aria-label", note + (number ? number.getAttribute("data-md-annotation-id") : ""));
      });
    };
    new MutationObserver(name).observe(article, { childList: true, subtree: true });
    name();
  }

  // Whole days by the calendar, in UTC; negative for the past.
  function daysFromToday(datetime) {
    var day = Date.parse(datetime.slice(0, 10)), now = new Date();
    return Math.round((day - Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate())) / 86400000);
  }

  // Dates get their age in words; without this script the date stands.
  if (window.Intl && Intl.RelativeTimeFormat) {
    var language = document.documentElement.lang;
    var words = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
    var chinese = /^zh/.test(language);
    Array.prototype.forEach.call(document.querySelectorAll("article time[datetime^='2']"), function (element) {
      var days = daysFromToday(element.getAttribute("datetime"));
      if (isNaN(days) || days > 0) return;
      var age = days > -31 ? words.format(days, "day")
        : days > -365 ? words.format(Math.round(days / 30.4), "month")
        : words.format(Math.round(days / 365.25), "year");
      var span = document.createElement("span");
      span.className = "ledger-age";
      // figures/age.py decides by the same rule whether a number is old.
      var old = Number(element.getAttribute("data-old-days"));
      if (old && -days >= old) {
        age += (chinese ? "，" : ", ") + element.getAttribute("data-old-word");
        span.className += " is-old";
      }
      span.textContent = chinese ? "（" + age + "）" : " (" + age + ")";
      element.insertAdjacentElement("afterend", span);
    });
  }
})();
