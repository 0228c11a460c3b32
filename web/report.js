// Sorts and filters the attempts, and shows the value of the dot under the pointer. The page's HTML
// holds all text; text of a run is only read and set as text, never as HTML.
'use strict';
(() => {
  const element = (name, properties, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };

  // The attempts have a button for each column by which they can be sorted, a text filter, and a
  // choice of outcomes.
  const list = document.getElementById('attempt-list');
  const head = document.getElementById('attempt-head');
  const inOrder = [...list.children];
  const rows = inOrder.filter((e) => e.classList.contains('attempt'));
  const gaps = inOrder.filter((e) => e.classList.contains('gap'));
  const textOf = new Map(rows.map((row) => [row, row.querySelector('.line').textContent.toLowerCase()]));
  const cell = (row, name) => row.querySelector('.line > .' + name).textContent;
  const figure = (text) => (text === '' ? NaN : Number(text));
  const columns = {
    number: { key: (row) => figure(row.dataset.number), first: 1 },
    name: { key: (row) => cell(row, 'name'), first: 1 },
    words: { key: (row) => cell(row, 'words'), first: 1 },
    speedup: { key: (row) => figure(row.dataset.speedup), first: -1 },
    time: { key: (row) => figure(row.dataset.time), first: 1 },
  };
  const compare = (a, b) => (typeof a === 'string' ? a.localeCompare(b, undefined, { numeric: true }) : a - b);

  const words = element('input', { type: 'search', placeholder: 'words, as in: wrong result', spellcheck: false });
  const kind = element('select', {});
  for (const [value, label] of [['', 'all outcomes'], ['best', 'new bests'], ['ok', 'correct'], ['failed', 'failed']])
    kind.append(element('option', { value }, label));
  const count = element('output', {});
  const controls = element('div', { className: 'controls' },
    element('label', {}, 'Filter ', words), element('label', {}, 'Outcome ', kind), count);
  head.before(controls);

  let sortedBy = 'number';
  let direction = 1;
  const buttons = new Map();

  const filter = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const isKind = kind.value === '' || (kind.value === 'ok' ? !row.classList.contains('failed')
        : row.classList.contains(kind.value));
      row.hidden = !isKind || !wanted.every((word) => textOf.get(row).includes(word));
      shown += row.hidden ? 0 : 1;
    }
    const isWhole = shown === rows.length && sortedBy === 'number' && direction === 1;
    for (const gap of gaps) gap.hidden = !isWhole;
    count.textContent = shown === rows.length ? '' : shown + ' of ' + rows.length;
  };

  const sort = (name) => {
    const { key, first } = columns[name];
    direction = name === sortedBy ? -direction : first;
    sortedBy = name;
    for (const [column, button] of buttons) {
      const isSorted = column === name;
      button.parentElement.setAttribute('aria-sort', isSorted ? (direction > 0 ? 'ascending' : 'descending') : 'none');
      button.dataset.arrow = isSorted ? (direction > 0 ? '\u2191' : '\u2193') : '';
    }
    if (name === 'number' && direction === 1) {
      list.append(...inOrder);
    } else {
      const keys = new Map(rows.map((row) => [row, key(row)]));
      const isMissing = (row) => Number.isNaN(keys.get(row));
      // Attempts without a figure stay last in either sort direction.
      const order = [...rows].sort((a, b) => isMissing(a) - isMissing(b) ||
        (isMissing(a) ? 0 : direction * compare(keys.get(a), keys.get(b))));
      list.append(...order, ...gaps);
    }
    filter();
  };

  for (const column of head.querySelectorAll('[data-sort]')) {
    const name = column.dataset.sort;
    const button = element('button', { type: 'button', title: 'Sort by ' + name }, column.textContent);
    button.addEventListener('click', () => sort(name));
    buttons.set(name, button);
    column.replaceChildren(button);
  }
  buttons.get('number').dataset.arrow = '\u2191';
  words.addEventListener('input', filter);
  kind.addEventListener('change', filter);
  filter();

  // Following a link to a folded section opens the section.
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target) return;
    const folded = target.matches('details') ? target : target.querySelector(':scope > details');
    if (folded) folded.open = true;
    if (target.hidden) {
      words.value = '';
      kind.value = '';
      filter();
    }
    target.scrollIntoView();
  };
  addEventListener('hashchange', reveal);
  if (location.hash) reveal();

  // The pointer shows the value of the nearest dot within this distance.
  const reach = 16;
  const tip = element('div', { className: 'tip', hidden: true });
  document.body.append(tip);
  let marked = null;
  const mark = (dot) => {
    if (marked) marked.classList.remove('here');
    marked = dot;
    if (marked) marked.classList.add('here');
    tip.hidden = !marked;
  };
  for (const svg of document.querySelectorAll('svg.plot')) {
    const dots = [];
    for (const circle of svg.querySelectorAll('circle')) {
      const title = circle.querySelector('title');
      dots.push({ circle, text: title.textContent, x: circle.cx.baseVal.value, y: circle.cy.baseVal.value });
      title.remove();  // otherwise the browser would show a second tip
    }
    const nearest = (event) => {
      const matrix = svg.getScreenCTM();
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
      let best = null;
      let least = (reach / matrix.a) ** 2;
      for (const dot of dots) {
        const distance = (dot.x - at.x) ** 2 + (dot.y - at.y) ** 2;
        if (distance <= least) [best, least] = [dot, distance];
      }
      return best;
    };
    const show = (event) => {
      const dot = nearest(event);
      mark(dot && dot.circle);
      if (!dot) return;
      tip.textContent = dot.text;
      const box = tip.getBoundingClientRect();
      const gap = 14;
      const left = Math.min(event.clientX + gap, document.documentElement.clientWidth - box.width - 4);
      const below = event.clientY + gap;
      const top = below + box.height > innerHeight ? event.clientY - gap - box.height : below;
      tip.style.left = Math.max(4, left) + 'px';
      tip.style.top = Math.max(4, top) + 'px';
    };
    svg.addEventListener('pointermove', show);
    svg.addEventListener('pointerdown', show);
    svg.addEventListener('pointerleave', () => mark(null));
    svg.addEventListener('click', (event) => {
      const dot = nearest(event);
      const number = dot && /attempt (\d+)/.exec(dot.text);
      if (number && document.getElementById('a' + number[1])) location.hash = 'a' + number[1];
    });
  }
})();
