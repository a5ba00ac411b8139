// Marks and terms open their card on hovering, focus and tap. Without this script, or in a browser without popovers, a
// mark is a link to where its number comes from, and a term one to the glossary; Enter and a click with a modifier key
// follow the link in any case.
(function () {
  "use strict";
  if (!("popover" in HTMLElement.prototype)) return;

  var OPENS = ".ledger-mark, .ledger-term";
  var GAP = 6, EDGE = 8, OPEN_AFTER_MS = 120, CLOSE_AFTER_MS = 250;
  var mark = null, card = null, pinned = false, quiet = null, waiting = 0;

  function cardOf(element) {
    var next = element.nextElementSibling;
    return next && next.classList.contains("ledger-card") ? next : null;
  }

  function markOf(target) {
    var found = target instanceof Element ? target.closest(OPENS) : null;
    return found && cardOf(found) ? found : null;
  }

  function within(target) {
    return target instanceof Node && mark !== null && (mark.contains(target) || card.contains(target));
  }

  function place() {
    if (!card) return;
    card.style.maxHeight = "";
    var at = mark.getBoundingClientRect(), size = card.getBoundingClientRect();
    var width = document.documentElement.clientWidth, height = window.innerHeight;
    var below = height - at.bottom - GAP - EDGE, above = at.top - GAP - EDGE;
    var down = size.height <= below || below >= above;
    var room = Math.max(down ? below : above, 120), tall = Math.min(size.height, room);
    var left = Math.max(EDGE, Math.min(at.left - EDGE, width - size.width - EDGE));
    card.style.maxHeight = room + "px";
    // In the top layer, positions count from the document: the card scrolls along with its mark.
    card.style.left = left + window.scrollX + "px";
    card.style.top = (down ? at.bottom + GAP : at.top - GAP - tall) + window.scrollY + "px";
  }

  function hide() {
    clearTimeout(waiting);
    if (!card) return;
    if (card.matches(":popover-open")) card.hidePopover();
    card.hidden = true;
    mark.setAttribute("aria-expanded", "false");
    mark = card = null;
    pinned = false;
  }

  function show(element, pin) {
    clearTimeout(waiting);
    if (mark !== element) {
      hide();
      mark = element;
      card = cardOf(element);
      card.hidden = false;
      card.showPopover();
      mark.setAttribute("aria-expanded", "true");
      place();
    }
    pinned = pinned || pin;
  }

  function later(action, after) {
    clearTimeout(waiting);
    waiting = setTimeout(action, after);
  }

  function focused() {
    return within(document.activeElement);
  }

  document.querySelectorAll("article :is(" + OPENS + ")").forEach(function (element, number) {
    var own = cardOf(element);
    if (!own) return;
    own.id = "ledger-card-" + number;
    element.setAttribute("aria-expanded", "false");
    element.setAttribute("aria-controls", own.id);
  });

  document.addEventListener("pointerover", function (event) {
    if (event.pointerType !== "mouse") return;
    var over = markOf(event.target);
    if (over && over !== mark) later(function () { if (!pinned) show(over, false); }, OPEN_AFTER_MS);
    else if (within(event.target)) clearTimeout(waiting);
    else if (mark && !pinned && !focused()) later(hide, CLOSE_AFTER_MS);
    else if (!mark) clearTimeout(waiting);
  });

  document.addEventListener("pointerdown", function (event) {
    if (mark && !within(event.target)) hide();
  });

  document.addEventListener("click", function (event) {
    var clicked = markOf(event.target);
    // detail is 0 where a key, not a pointer, clicked.
    if (!clicked || event.detail === 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (mark === clicked && pinned) hide();
    else show(clicked, true);
  });

  document.addEventListener("focusin", function (event) {
    var entered = markOf(event.target), keyboard = entered && entered.matches(":focus-visible");
    if (entered && entered === quiet) quiet = null;
    else if (keyboard) show(entered, false);
    else if (mark && !within(event.target)) hide();
  });

  document.addEventListener("keydown", function (event) {
    if (event.key !== "Escape" || !mark) return;
    var back = card.contains(document.activeElement) ? mark : null;
    hide();
    // Where focus goes back to the mark, that is no wish to see the card again.
    if (back) { quiet = back; back.focus(); }
    event.stopPropagation();
  }, true);

  window.addEventListener("resize", place);
  window.addEventListener("pagehide", hide);
  document.addEventListener("scroll", function (event) { if (event.target !== document && !within(event.target)) place(); }, true);
})();
