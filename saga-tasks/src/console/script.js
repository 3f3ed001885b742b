// Follows what happens: an event says that the page has changed, and it is fetched and put in place of the old one, but for
// a form that somebody fills in. Everything works without.
'use strict';
(() => {
  const main = document.querySelector('main[data-events]');
  if (!main) return;
  const live = document.getElementById('live');
  const page = new URL(main.dataset.page, location.href);
  const dirty = new WeakSet();
  let source = null;
  let fetching = false;
  let again = false;

  const say = (text, state) => {
    live.textContent = text;
    live.dataset.state = state;
  };
  const isDirty = (part) => [...part.querySelectorAll('form')].some((form) => dirty.has(form));
  for (const event of ['input', 'change']) {
    main.addEventListener(event, (happened) => {
      const form = happened.target.closest('form');
      if (form) dirty.add(form);
    });
  }

  // What was refused is to be corrected.
  for (const problem of main.querySelectorAll('form .problem')) dirty.add(problem.closest('form'));

  // An answer that was refused has an address of its own, and relative links of another page do not fit it.
  const settle = (fresh) => {
    if (location.pathname === page.pathname) return;
    for (const name of ['href', 'action']) {
      for (const each of fresh.querySelectorAll(`[${name}]`)) each.setAttribute(name, new URL(each.getAttribute(name), page));
    }
  };

  const keep = (old, fresh) => {
    for (const details of old.querySelectorAll('details[open]')) {
      const twin = [...fresh.querySelectorAll('summary')].find((each) => each.textContent === details.firstElementChild.textContent);
      if (twin) twin.parentElement.open = true;
    }
    const focused = old.contains(document.activeElement) && document.activeElement.getAttribute('href');
    old.replaceWith(fresh);
    if (focused) [...fresh.querySelectorAll('a')].find((link) => link.getAttribute('href') === focused)?.focus();
  };

  const gone = (part) => {
    if (part.querySelector('.gone')) return;
    const told = document.createElement('p');
    told.className = 'notice gone';
    told.setAttribute('role', 'alert');
    told.textContent = 'This is not asked any more.';
    part.prepend(told);
    for (const button of part.querySelectorAll('button')) button.disabled = true;
  };

  const put = (fresh) => {
    const named = (child) => child.id || child.tagName;
    const old = new Map([...main.children].map((child) => [named(child), child]));
    let last = null;
    for (const child of [...fresh.children]) {
      const twin = old.get(named(child));
      old.delete(named(child));
      if (!twin) {
        if (last) last.after(child);
        else main.prepend(child);
        last = child;
      } else if (twin.isEqualNode(child) || isDirty(twin)) {
        last = twin;
      } else {
        keep(twin, child);
        last = child;
      }
    }
    for (const child of old.values()) {
      if (isDirty(child)) gone(child);
      else if (child.id !== 'notice') child.remove();
    }
  };

  const fetchAgain = async () => {
    again = true;
    if (fetching) return;
    fetching = true;
    try {
      while (again) {
        again = false;
        const response = await fetch(page, { headers: { Accept: 'text/html' }, credentials: 'same-origin' });
        if (!response.ok) {
          say(response.status === 404 ? 'Removed' : 'No answer from the store', 'down');
          continue;
        }
        const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
        document.title = fresh.title;
        settle(fresh.querySelector('main'));
        put(fresh.querySelector('main'));
        say('Live', 'up');
      }
    } catch {
      say('Not connected', 'down');
    } finally {
      fetching = false;
    }
  };

  const listen = () => {
    if (source || document.hidden) return;
    source = new EventSource(new URL(main.dataset.events, location.href));
    source.onopen = () => say('Live', 'up');
    source.onerror = () => say('Not connected', 'down');
    source.onmessage = fetchAgain;
  };
  // A browser has few connections to one host: what nobody looks at needs none.
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) return listen();
    source?.close();
    source = null;
  });
  listen();
  // Ages grow though nothing happens.
  setInterval(() => document.hidden || fetchAgain(), 30_000);
})();
