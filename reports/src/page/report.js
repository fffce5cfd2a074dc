'use strict';
(() => {
  const NS = 'http://www.w3.org/2000/svg';
  const source = document.getElementById('timelines');
  if (!source) return;
  const timelines = JSON.parse(source.textContent);
  const LANE = 26;
  const BAR = 18;
  const BAND = 18;
  const SHARE = 56;
  const MOST_MARKS = 900;

  const html = (tag, attributes, parent, text) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
    if (text !== undefined) node.textContent = text;
    if (parent) parent.appendChild(node);
    return node;
  };
  const svg = (tag, attributes, parent, text) => {
    const node = document.createElementNS(NS, tag);
    for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
    if (text !== undefined) node.textContent = text;
    if (parent) parent.appendChild(node);
    return node;
  };
  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

  /** Position of the last entry of sorted `list` whose key is at most `value`; -1 for none. */
  const last = (list, value, key) => {
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (key(list[middle]) <= value) low = middle + 1; else high = middle;
    }
    return low - 1;
  };

  /** As the texts of the page have it: what is below a millisecond in its own unit. */
  const when = (timeline, t) => timeline.unit === 'tick' ? `tick ${t}` :
    t > 0 && t < 1e6 ? span(timeline, t) : `${(t / 1e9).toFixed(3)} s`;
  const span = (timeline, t) => {
    if (timeline.unit === 'tick') return `${t} ticks`;
    for (const [size, name] of [[1e9, 's'], [1e6, 'ms'], [1e3, 'us']]) {
      if (t >= size) return `${Number((t / size).toPrecision(3))} ${name}`;
    }
    return `${t} ns`;
  };
  const pairText = (i, n) => `${i}/${n}`;

  /** What a mark of the axis says, in the unit that the length of the run asks for. */
  const mark = (timeline, t, most) => {
    if (timeline.unit === 'tick') return `tick ${t}`;
    const [size, name] = most < 1e4 ? [1, 'ns'] : most < 1e7 ? [1e3, 'us'] : [1e9, 's'];
    return `${Number((t / size).toFixed(9))} ${name}`;
  };

  /** Steps of 1, 2 or 5 times a power of ten. */
  const niceStep = (rough) => {
    const power = Math.pow(10, Math.floor(Math.log10(Math.max(rough, 1))));
    for (const factor of [1, 2, 5, 10]) if (factor * power >= rough) return factor * power;
    return 10 * power;
  };

  // One view of time for all timelines of the page, so that they stay aligned.
  const whole = Math.max(...timelines.map((timeline) => timeline.end), 1);
  const view = { from: 0, to: whole };
  const charts = [];
  const setView = (from, to) => {
    const least = Math.max(whole / 1e7, timelines[0].unit === 'tick' ? 2 : 1000);
    const width = clamp(to - from, least, whole);
    view.from = clamp(from, 0, whole - width);
    view.to = view.from + width;
    for (const chart of charts) chart.draw();
  };
  const zoom = (factor, around) => {
    const middle = around === undefined ? (view.from + view.to) / 2 : around;
    setView(middle - (middle - view.from) * factor, middle + (view.to - middle) * factor);
  };
  const pan = (share) => {
    const by = (view.to - view.from) * share;
    setView(view.from + by, view.to + by);
  };

  class Chart {
    constructor(timeline, place) {
      this.timeline = timeline;
      this.place = place;
      this.current = -1;
      this.filter = 'all';
      this.byWorker = new Map();
      timeline.events.forEach((event, k) => {
        if (event[1] < 0) return;
        if (!this.byWorker.has(event[1])) this.byWorker.set(event[1], []);
        this.byWorker.get(event[1]).push(k);
      });
      this.addTools();
      this.svg = svg('svg', { tabindex: '0', role: 'img',
                              'aria-label': place.dataset.description }, place);
      this.tip = html('div', { class: 'tip', hidden: '' }, place);
      this.listen();
      if (timeline.events.length > 0) this.addStepping();
    }

    addTools() {
      const tools = html('div', { class: 'tools', role: 'toolbar', 'aria-label': 'view' },
                         this.place);
      const add = (name, label, action) => {
        const button = html('button', { type: 'button', 'data-tool': name }, tools, label);
        button.addEventListener('click', action);
      };
      const { focus } = this.timeline;
      add('in', 'Zoom in (+)', () => zoom(0.5));
      add('out', 'Zoom out (-)', () => zoom(2));
      add('left', 'Earlier', () => pan(-0.4));
      add('right', 'Later', () => pan(0.4));
      add('whole', 'Whole run (0)', () => setView(0, whole));
      if (!focus) return;
      add('focus', focus.violation ? 'The violation' : 'Closest approach', () => this.toFocus());
    }

    toFocus() {
      const { focus, interval } = this.timeline;
      setView(focus.at - 3 * interval, focus.at + 1.5 * interval);
      const k = last(this.timeline.events, focus.at, (event) => event[0]);
      this.select(k);
    }

    listen() {
      const { svg: chart } = this;
      chart.addEventListener('wheel', (event) => {
        if (!event.ctrlKey && !event.shiftKey && !event.altKey) return;
        event.preventDefault();
        zoom((event.deltaY || event.deltaX) > 0 ? 1.25 : 0.8, this.timeAt(event));
      }, { passive: false });
      let grip = null;
      chart.addEventListener('pointerdown', (event) => {
        grip = { x: event.clientX, from: view.from, to: view.to, moved: false };
      });
      chart.addEventListener('pointermove', (event) => {
        if (grip && event.buttons === 1) {
          const by = (event.clientX - grip.x) / this.plot * (grip.to - grip.from);
          if (Math.abs(event.clientX - grip.x) > 3) grip.moved = true;
          if (grip.moved) setView(grip.from - by, grip.to - by);
        } else {
          this.hover(event);
        }
      });
      chart.addEventListener('pointerleave', () => { this.tip.hidden = true; });
      chart.addEventListener('click', (event) => {
        if (!grip || !grip.moved) this.pick(event);
        grip = null;
      });
      chart.addEventListener('dblclick', (event) => zoom(0.4, this.timeAt(event)));
      chart.addEventListener('keydown', (event) => this.key(event));
    }

    key(event) {
      const actions = {
        '+': () => zoom(0.5), '=': () => zoom(0.5), '-': () => zoom(2),
        '0': () => setView(0, whole),
        ArrowLeft: () => pan(-0.1), ArrowRight: () => pan(0.1),
        '.': () => this.step(1), ',': () => this.step(-1),
        Home: () => this.select(this.next(-1, 1)),
        End: () => this.select(this.next(this.timeline.events.length, -1)),
      };
      if (!actions[event.key] || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      actions[event.key]();
    }

    place_(event) {
      const box = this.svg.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top, box };
    }
    timeAt(event) {
      const { x } = this.place_(event);
      return view.from + (x - this.left) / this.plot * (view.to - view.from);
    }
    laneAt(event) {
      const { y } = this.place_(event);
      const row = Math.floor((y - this.top) / LANE);
      return row >= 0 && row < this.timeline.lanes.length ? this.timeline.lanes[row] : null;
    }
    x(t) { return this.left + (t - view.from) / (view.to - view.from) * this.plot; }

    draw() {
      const { timeline, svg: chart } = this;
      const width = Math.max(this.place.clientWidth, 320);
      const longest = Math.max(...timeline.lanes.map((lane) => lane.name.length), 4);
      this.left = clamp(longest * 8 + 14, 66, 120);
      this.plot = width - this.left - 8;
      if (this.width !== width) {  // the strip keeps its height while the reader zooms
        this.width = width;
        this.bandRows = 0;
        this.bandRows = this.placedBands().reduce((most, band) => Math.max(most, band.row + 1), 0);
      }
      this.top = 40 + this.bandRows * BAND;
      const bottom = this.top + timeline.lanes.length * LANE;
      const height = bottom + SHARE + 30;
      chart.replaceChildren();
      chart.setAttribute('viewBox', `0 0 ${width} ${height}`);
      chart.setAttribute('height', height);
      this.bottom = bottom;
      const clip = `clip-${charts.indexOf(this)}`;
      const frame = svg('clipPath', { id: clip }, svg('defs', {}, chart));
      svg('rect', { x: this.left, y: 0, width: this.plot, height }, frame);
      const inside = svg('g', { 'clip-path': `url(#${clip})` }, chart);
      svg('text', { class: 'muted', x: 4, y: 12 }, chart,
          timeline.unit === 'tick' ? 'tick' : 'time');
      svg('text', { class: 'muted', x: 4, y: 31 }, chart, 'interval');
      this.drawColumns(inside, bottom + SHARE + 10);
      this.drawBands(inside, bottom);
      timeline.lanes.forEach((lane, row) => this.drawLane(chart, inside, lane, row));
      this.drawMessages(inside);
      this.drawShare(chart, inside, bottom + 12);
      this.drawFocus(inside, bottom);
      if (this.current >= 0) {
        const x = this.x(timeline.events[this.current][0]);
        svg('line', { class: 'cursor', x1: x, x2: x, y1: 20, y2: bottom + SHARE + 12 }, inside);
      }
    }

    drawColumns(parent, bottom) {
      const { timeline } = this;
      const visible = timeline.columns.filter(([at], c) =>
        at < view.to && (c + 1 === timeline.columns.length ||
                         timeline.columns[c + 1][0] > view.from));
      const each = Math.max(1, Math.ceil(visible.length * 34 / this.plot));
      if (each <= 6) {
        visible.forEach(([at, number], c) => {
          const x = this.x(at);
          const next = c + 1 < visible.length ? this.x(visible[c + 1][0]) : this.x(timeline.end);
          if (number % 2 === 0) {
            svg('rect', { class: 'column', x, y: 18, width: Math.max(next - x, 0),
                          height: bottom - 18 }, parent);
          }
          const from = Math.max(x, this.left) + 3;
          const after = visible[c + each];  // the next that has its number
          const room = Math.min(after ? this.x(after[0]) : this.x(timeline.end),
                                this.left + this.plot) - from;
          if (number % each === 0 && room > `${number}`.length * 8) {
            svg('text', { class: 'muted', x: from, y: 31 }, parent, `${number}`);
          }
        });
      }
      const step = niceStep((view.to - view.from) / Math.max(this.plot / 90, 1));
      for (let t = Math.ceil(view.from / step) * step; t <= view.to; t += step) {
        const x = this.x(t);
        svg('line', { class: 'axis', x1: x, x2: x, y1: 14, y2: bottom }, parent);
        const text = mark(timeline, t, whole);
        if (x + 3 + text.length * 8 > this.left + this.plot) continue;
        svg('text', { x: x + 3, y: 12 }, parent, text);
      }
    }

    drawLane(chart, inside, lane, row) {
      const y = this.top + row * LANE;
      const isNamed = this.timeline.focus && this.timeline.focus.violation &&
        this.timeline.focus.workers.includes(lane.worker);
      svg('text', { x: 4, y: y + 17, class: isNamed ? 'alarm-text' : 'bold' }, chart,
          isNamed ? `${lane.name} !` : lane.name);
      let fineUntil = -1;
      for (const [from, to, state, index, count, cause] of lane.parts) {
        if (to < view.from || from > view.to) continue;
        const x = Math.max(this.x(from), this.left);
        const right = Math.min(this.x(to), this.left + this.plot);
        const width = right - x;
        if (width < 0.5) {
          if (x - fineUntil < 1) continue;
          fineUntil = x;
        }
        if (state === 1) {
          svg('rect', { class: `holding tone${index % 8 + 1}`, x, y: y + 4,
                        width: Math.max(width, 0.5), height: BAR }, inside);
          const label = pairText(index, count);
          if (width > label.length * 8 + 4) {
            svg('text', { x: x + 4, y: y + 18, class: 'bold' }, inside, label);
          }
        } else if (state === 2) {
          svg('rect', { class: 'stalled', x, y: y + 4, width: Math.max(width, 0.5), height: BAR },
              inside);
        } else {
          svg('rect', { class: 'idle', x, y: y + 12, width: Math.max(width, 0.5), height: 3 },
              inside);
          const text = cause >= 0 ? this.timeline.causes[cause] : '';
          if (text && width > text.length * 6.6 + 8) {
            svg('text', { class: 'muted', x: x + 4, y: y + 9, 'font-size': 11 }, inside, text);
          }
        }
      }
    }

    drawMessages(parent) {
      const { timeline } = this;
      const rows = new Map(timeline.lanes.map((lane, row) => [lane.worker, row]));
      const visible = timeline.messages.filter((message) =>
        message[3] !== null && message[3] >= view.from && message[3] <= view.to &&
        rows.has(message[0]));
      this.hidden = visible.length > MOST_MARKS;
      if (this.hidden) return;
      for (const message of visible) {
        const x = this.x(message[3]);
        const y = this.top + rows.get(message[0]) * LANE;
        if (message[9]) {
          svg('path', { class: 'ghost', d: `M${x} ${y + 14}l4 5l-4 5l-4 -5z` }, parent);
        } else {
          svg('line', { class: 'registration', x1: x, x2: x, y1: y + 17, y2: y + 25 }, parent);
        }
      }
    }

    /** The faults in view, each in the first row of the strip where it and its name have room. */
    placedBands() {
      const right = this.left + this.plot;
      const free = [];
      const placed = [];
      for (const [name, from, to] of this.timeline.bands) {
        if (to < view.from || from > view.to) continue;
        const begin = Math.max(this.x(from), this.left);
        const end = Math.max(Math.min(this.x(to), right), begin + 2);
        const width = name.length * 7.5 + 8;
        // A name that would end beyond the plot ends at its edge instead.
        const label = Math.max(Math.min(begin, right - width), this.left);
        const last = Math.max(end, label + width);
        let row = 0;
        while (row < free.length && free[row] > label) ++row;
        const isFull = this.bandRows > 0 && row >= this.bandRows;
        if (isFull) row = this.bandRows - 1;
        free[row] = Math.max(free[row] || 0, last + 4);
        placed.push({ name: isFull ? '' : name, from, to, begin, end, label, row });
      }
      return placed;
    }

    drawBands(parent, bottom) {
      const placed = this.placedBands();
      let tinted = this.left;
      for (const { name, from, to, begin, end, label, row } of placed) {
        const y = 38 + row * BAND;
        if (to > from) {
          // Where several faults meet, the lanes are tinted once: lanes have to be read.
          const x = Math.max(begin, tinted);
          if (end > x) {
            svg('rect', { class: 'band', x, y: this.top - 2, width: end - x,
                          height: bottom - this.top + 2 }, parent);
            tinted = end;
          }
          svg('line', { class: 'band-edge', x1: end, x2: end, y1: y, y2: bottom }, parent);
        }
        svg('line', { class: 'band-edge', x1: begin, x2: begin, y1: y, y2: bottom }, parent);
        svg('rect', { class: 'fault', x: begin, y, width: end - begin, height: BAND - 3 }, parent);
        if (name) svg('text', { class: 'band-text', x: label + 4, y: y + 12 }, parent, name);
      }
    }

    drawShare(chart, parent, top) {
      const { timeline } = this;
      svg('text', { x: 4, y: top + SHARE - 10, class: 'bold' }, chart, 'owned');
      const most = Math.max(1, ...timeline.shares.map(([, share]) => share));
      const y = (share) => top + SHARE - 8 - share / most * (SHARE - 10);
      let path = '';
      let share = 0;
      const begin = last(timeline.shares, view.from, (step) => step[0]);
      if (begin >= 0) share = timeline.shares[begin][1];
      path += `M${this.left} ${y(0)}V${y(share)}`;
      for (let s = begin + 1; s < timeline.shares.length; ++s) {
        const [at, value] = timeline.shares[s];
        if (at > view.to) break;
        path += `H${this.x(at).toFixed(2)}V${y(value).toFixed(2)}`;
      }
      const end = Math.min(this.x(timeline.end), this.left + this.plot);
      svg('path', { class: 'share', d: `${path}H${end}V${y(0)}Z` }, parent);
      for (const mark of [0, 1]) {
        svg('line', { class: 'axis', x1: this.left, x2: this.left + this.plot, y1: y(mark),
                      y2: y(mark) }, parent);
      }
      svg('text', { class: 'muted', x: this.left - 4, y: y(1) + 10, 'text-anchor': 'end' }, chart,
          '100 %');
    }

    drawFocus(parent, bottom) {
      const { focus } = this.timeline;
      if (!focus || focus.at < view.from || focus.at > view.to) return;
      const x = this.x(focus.at);
      const kind = focus.violation ? 'alarm' : 'near';
      svg('line', { class: kind, x1: x, x2: x, y1: 36, y2: bottom + 4, 'stroke-dasharray': '2 2' },
          parent);
      const text = focus.violation ? 'violation' : 'closest approach';
      const isRight = x + text.length * 8 > this.left + this.plot;
      svg('text', { class: `${kind}-text`, x: isRight ? x - 4 : x + 4, y: bottom + 10,
                    'text-anchor': isRight ? 'end' : 'start' }, parent, text);
    }

    hover(event) {
      const lines = this.describe(event);
      this.tip.hidden = lines.length === 0;
      if (lines.length === 0) return;
      this.tip.textContent = lines.join('\n');
      const { x, y } = this.place_(event);
      const shift = x > this.place.clientWidth * 0.6 ? -this.tip.offsetWidth - 14 : 14;
      this.tip.style.left = `${x + shift}px`;
      this.tip.style.top = `${y + this.svg.offsetTop + 14}px`;
    }

    describe(event) {
      const { timeline } = this;
      const t = Math.round(this.timeAt(event));
      if (t < view.from || t > timeline.end) return [];
      const lines = [when(timeline, t)];
      for (const [name, from, to] of timeline.bands) {
        const reach = 4 / this.plot * (view.to - view.from);
        if (t >= from - reach && t <= to + reach) lines.push(`fault: ${name}`);
      }
      const lane = this.laneAt(event);
      if (!lane) return lines;
      const part = lane.parts.find(([from, to]) => from <= t && t < to);
      if (part) {
        const [from, to, state, index, count, cause] = part;
        const what = state === 1 ? `holds ${index} of ${count}` :
          state === 2 ? 'stalled, without a lease' : 'without a lease';
        lines.push(`${lane.name} ${what} from ${when(timeline, from)} to ${when(timeline, to)} ` +
                   `(${span(timeline, to - from)})`);
        if (cause >= 0) lines.push(`because ${timeline.causes[cause]}`);
      } else {
        lines.push(`${lane.name} is not there`);
      }
      const k = this.nearest(t, lane.worker);
      if (k >= 0) {
        const [at, , text] = timeline.events[k];
        const near = 6 / this.plot * (view.to - view.from);
        if (Math.abs(at - t) < near) lines.push(`${when(timeline, at)}: ${text}`);
      }
      return lines;
    }

    nearest(t, worker) {
      const { events } = this.timeline;
      const own = this.byWorker.get(worker) || [];
      const p = last(own, t, (k) => events[k][0]);
      const before = p >= 0 ? own[p] : -1;
      const after = p + 1 < own.length ? own[p + 1] : -1;
      if (before < 0 || after < 0) return Math.max(before, after);
      return t - events[before][0] <= events[after][0] - t ? before : after;
    }

    pick(event) {
      const t = this.timeAt(event);
      const lane = this.laneAt(event);
      const k = lane ? this.nearest(t, lane.worker) :
        last(this.timeline.events, t, (entry) => entry[0]);
      if (k >= 0) this.select(k);
    }

    addStepping() {
      const place = html('div', {}, this.place);
      const tools = html('div', { class: 'tools', role: 'toolbar', 'aria-label': 'steps' }, place);
      const add = (name, label, action) => {
        const button = html('button', { type: 'button', 'data-tool': name }, tools, label);
        button.addEventListener('click', action);
      };
      add('first', 'First', () => this.select(this.next(-1, 1)));
      add('back', 'Step back (,)', () => this.step(-1));
      add('forward', 'Step forward (.)', () => this.step(1));
      add('last', 'Last', () => this.select(this.next(this.timeline.events.length, -1)));
      const label = html('label', {}, tools, 'step through ');
      const select = html('select', { 'data-tool': 'filter' }, label);
      html('option', { value: 'all' }, select, 'every event');
      html('option', { value: 'change' }, select, 'changes of ownership');
      for (const lane of this.timeline.lanes) {
        html('option', { value: String(lane.worker) }, select, `events of ${lane.name}`);
      }
      select.addEventListener('change', () => { this.filter = select.value; this.show(); });
      this.now = html('p', { class: 'now hint', 'aria-live': 'polite' }, place,
                      'Click a lane, or step, to see the state of every worker at that event.');
      const columns = html('div', { class: 'stepping' }, place);
      this.list = html('div', {}, columns);
      this.state = html('div', {}, columns);
    }

    wanted(k) {
      const event = this.timeline.events[k];
      if (this.filter === 'all') return true;
      if (this.filter === 'change') return (event[3] & 2) !== 0;
      return event[1] === Number(this.filter);
    }
    next(k, by) {
      const { length } = this.timeline.events;
      let at = k + by;
      while (at >= 0 && at < length && !this.wanted(at)) at += by;
      return at >= 0 && at < length ? at : -1;
    }
    step(by) {
      const k = this.next(this.current, by);
      if (k >= 0) this.select(k);
    }

    select(k) {
      if (k < 0 || !this.now) return;
      this.current = k;
      const t = this.timeline.events[k][0];
      if (t < view.from || t > view.to) {
        const width = view.to - view.from;
        setView(t - width / 2, t + width / 2);
      } else {
        this.draw();
      }
      this.show();
      history.replaceState(null, '', `#event-${k + 1}`);
    }

    show() {
      if (this.current < 0) return;
      const { timeline, current } = this;
      const event = timeline.events[current];
      const rest = timeline.allEvents > timeline.events.length ?
        ` of the ${timeline.events.length.toLocaleString('en')} kept` :
        ` of ${timeline.events.length.toLocaleString('en')}`;
      this.now.classList.remove('hint');
      this.now.textContent =
        `Event ${(current + 1).toLocaleString('en')}${rest}, ${when(timeline, event[0])}: ` +
        event[2];
      this.list.replaceChildren();
      html('h3', {}, this.list, 'Events around it');
      const list = html('ol', {}, this.list);
      const shown = [];
      for (let k = current, left = 6; k >= 0 && left > 0; --k) {
        if (k === current || this.wanted(k)) { shown.unshift(k); --left; }
      }
      for (let k = current + 1, left = 6; k < timeline.events.length && left > 0; ++k) {
        if (this.wanted(k)) { shown.push(k); --left; }
      }
      for (const k of shown) {
        const item = html('li', k === current ? { 'aria-current': 'step' } : {}, list);
        html('span', {}, item, when(timeline, timeline.events[k][0]));
        item.append(timeline.events[k][2]);
        item.addEventListener('click', () => this.select(k));
      }
      if (event[6] && event[6].length > 0) {
        html('h3', {}, this.list, 'What else could have happened here');
        const others = html('ul', {}, this.list);
        for (const other of event[6]) html('li', {}, others, other);
      }
      this.showState();
    }

    viewOf(worker) {
      const own = this.byWorker.get(worker) || [];
      const p = last(own, this.current, (k) => k);
      if (p >= 0) return this.timeline.events[own[p]][4];
      return this.timeline.before[worker] || null;
    }

    showState() {
      const { timeline, current } = this;
      const t = timeline.events[current][0];
      this.state.replaceChildren();
      html('h3', {}, this.state, 'State after it');
      const scroll = html('div', { class: 'scroll' }, this.state);
      const table = html('table', {}, scroll);
      const head = html('tr', {}, html('thead', {}, table));
      for (const title of ['worker', 'process', 'lease', 'until', 'works on', 'last registration',
                           'under way']) {
        html('th', { scope: 'col' }, head, title);
      }
      const body = html('tbody', {}, table);
      const processes = { a: 'absent', r: 'runs', s: 'stalled', l: 'leaving' };
      const wires = { '-': '', q: 'request', p: 'reply', e: 'refusal' };
      for (const lane of timeline.lanes) {
        const v = this.viewOf(lane.worker);
        const row = html('tr', {}, body);
        html('th', { scope: 'row' }, row, lane.name);
        if (!v || v[0] === 'a') {
          html('td', { colspan: '6' }, row,
               v && v[9] > 0 ? `absent; ${v[9]} abandoned under way` : 'absent');
          continue;
        }
        const [process, li, ln, ends, ai, an, interval, index, wire, ghosts] = v;
        const isOver = li !== null && ends !== null && ends <= t;
        const until = li === null ? '' : ends === null ? 'for ever' : when(timeline, ends);
        const onWire = [wires[wire], ghosts > 0 ? `${ghosts} abandoned` : ''];
        for (const text of [processes[process],
                            li === null ? 'none' : pairText(li, ln) + (isOver ? ' (over)' : ''),
                            until, ai === null ? 'nothing' : pairText(ai, an),
                            interval === null ? 'none' : `interval ${interval}: index ${index}`,
                            onWire.filter((w) => w).join(', ') || 'nothing']) {
          html('td', {}, row, text);
        }
      }
      let c = current;
      while (c >= 0 && timeline.events[c][5] === null) --c;
      const counters = c >= 0 ? timeline.events[c][5] : timeline.countersBefore;
      html('p', {}, this.state, counters.length === 0 ? 'The store has no counters.' :
        'Counters of the store: ' +
        counters.map(([interval, value]) => `interval ${interval}: ${value}`).join(', ') + '.');
    }
  }

  timelines.forEach((timeline, t) => {
    charts.push(new Chart(timeline, document.getElementById(`timeline-${t}`)));
  });
  for (const chart of charts) chart.draw();
  const asked = /^#event-(\d+)$/.exec(location.hash);
  if (asked) charts[0].select(Math.min(Number(asked[1]), timelines[0].events.length) - 1);
  window.addEventListener('resize', () => charts.forEach((chart) => chart.draw()));
  window.addEventListener('beforeprint', () => charts.forEach((chart) => chart.draw()));
})();
