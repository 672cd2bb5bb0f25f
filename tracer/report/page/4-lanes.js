/* The picture: only what is in sight is drawn. */

const picture = $('picture'), ruler = $('ruler'), overview = $('overview');

function sized(canvas, width, height) {
	const ratio = window.devicePixelRatio || 1;
	const w = Math.round(width * ratio), h = Math.round(height * ratio);
	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w;
		canvas.height = h;
		canvas.style.width = width + 'px';
		canvas.style.height = height + 'px';
	}
	const c = canvas.getContext('2d');
	c.setTransform(ratio, 0, 0, ratio, 0, 0);
	c.clearRect(0, 0, width, height);
	c.font = '11.5px system-ui, sans-serif';
	c.textBaseline = 'middle';
	return c;
}

function measure() {
	const scroller = $('scroller');
	view.width = Math.max(scroller.clientWidth - $('ruler-corner').offsetWidth, 60);
	view.height = Math.max(Math.min(scroller.clientHeight, Math.max(spaceHeight, scroller.clientHeight)), 40);
	view.top = scroller.scrollTop;
}

/* ---- the ruler ---- */

function step(range, most) {
	const rough = range / most, power = Math.pow(10, Math.floor(Math.log10(rough)));
	for (const k of [1, 2, 5, 10])
		if (k * power >= rough)
			return view.axis === ORDER ? Math.max(1, k * power) : k * power;
	return 10 * power;
}

function tickText(value, by) {
	if (view.axis === ORDER)
		return String(Math.round(value));
	const unit = duration >= 2e6 ? [1e6, ' s'] : duration >= 2000 ? [1000, ' ms'] : [1, ' µs'];
	const digits = Math.max(0, Math.ceil(-Math.log10(by / unit[0]) - 1e-9));
	return (value / unit[0]).toFixed(Math.min(digits, 6)) + unit[1];
}

function ticks() {
	const by = step(view.to - view.from, Math.max(2, view.width / 110));
	const found = [];
	for (const [from, to] of parts()) {
		const first = Math.max(0, view.axis === TIME ? from : view.from);
		for (let v = Math.ceil(first / by) * by, x; v <= to && (x = toX(drawnAt(v))) <= view.width; v += by)
			if (x >= MARGIN && (!found.length || x - found[found.length - 1][0] >= 70))
				found.push([x, tickText(v, by)]);
	}
	return found;
}

function drawnAt(value) {
	return view.axis === TIME ? folded(value) : value;
}

/* What is seen of the axis, in moments: between the folds. */
function parts() {
	if (view.axis === ORDER)
		return [[view.from, view.to]];
	const found = [];
	let from = 0;
	for (const f of [...folds, { from: duration, to: Infinity }]) {
		const low = Math.max(from, from + view.from - folded(from));
		if (f.from >= low && folded(low) <= view.to)
			found.push([low, f.from]);
		from = f.to;
	}
	return found;
}

/* A fold is a hatched strip that says how much time is in it. Returns from where to where texts were drawn. */
function drawFolds(c, height, named) {
	const texts = [];
	if (view.axis !== TIME)
		return texts;
	for (const f of folds) {
		const x1 = toX(folded(f.from)), x2 = toX(folded(f.to));
		if (x2 < 0 || x1 > view.width)
			continue;
		c.save();
		c.beginPath();
		c.rect(x1, 0, x2 - x1, height);
		c.clip();
		c.fillStyle = colours.stripe;
		c.fillRect(x1, 0, x2 - x1, height);
		c.strokeStyle = colours.line;
		c.lineWidth = 1;
		c.beginPath();
		for (let x = Math.max(x1, 0) - height; x < Math.min(x2, view.width); x += 7) {
			c.moveTo(x, height);
			c.lineTo(x + height, 0);
		}
		if (!named)
			c.stroke();
		c.restore();
		const text = '⋯ ' + shortTime(f.to - f.from) + ' ⋯';
		if (named && x2 - x1 > c.measureText(text).width) {
			c.fillStyle = colours.muted;
			c.textAlign = 'center';
			c.fillText(text, (x1 + x2) / 2, 13);
			texts.push([x1, x2]);
		}
	}
	return texts;
}

function shortTime(us) {
	return us >= 1e6 ? (us / 1e6).toPrecision(3) + ' s' : us >= 1000 ? (us / 1000).toPrecision(3) + ' ms' : us + ' µs';
}

function drawRuler(marks) {
	const c = sized(ruler, view.width, 28);
	const taken = drawFolds(c, 28, true);
	c.fillStyle = colours.muted;
	c.textAlign = 'center';
	for (const [x, text] of marks) {
		const half = c.measureText(text).width / 2;
		const middle = Math.min(Math.max(x, half + 2), view.width - half - 2);
		if (!taken.some(([x1, x2]) => middle + half > x1 && middle - half < x2))
			c.fillText(text, middle, 13);
		c.fillRect(Math.round(x), 22, 1, 6);
	}
}

/* ---- one lane ---- */

function drawLife(c, lane, y) {
	if (!lane.from)
		return;
	const end = lane.to ? lane.to.at[view.axis] : span[view.axis];
	const x1 = Math.max(toX(lane.from.at[view.axis]), -5), x2 = Math.min(toX(end), view.width + 5);
	if (x2 < x1)
		return;
	c.strokeStyle = lane.thread.waiting && lane.thread.waiting.in_cycle ? colours['bad-line'] : colours.threads[lane.index % THREAD_COLOURS];
	c.lineWidth = 1.5;
	c.beginPath();
	c.moveTo(x1, y);
	c.lineTo(x2, y);
	c.stroke();
}

/* About how wide one is: measuring every text would cost more than drawing it. */
const LETTER = 6.4;

function drawBarText(c, hold, x1, x2, y) {
	const text = hold.gate === null ? 'by a function' : hold.gate;
	const left = Math.max(x1, 0) + 7, room = Math.min(x2, view.width) - left - 6;
	if (room < 24)
		return;
	const most = Math.max(2, Math.floor(room / LETTER)), shown = cut(text, most, Math.floor(most / 3));
	c.save();
	c.beginPath();
	c.rect(left, y - 10, room, 20);
	c.clip();
	c.textAlign = 'left';
	if (!hold.to || hold.to.what !== 'release') {
		c.strokeStyle = colours.panel;
		c.lineWidth = 5;
		c.lineJoin = 'round';
		c.strokeText(shown, left, y + 0.5);
		c.fillStyle = colours.text;
	} else {
		c.fillStyle = colours['on-bar'];
	}
	c.fillText(shown, left, y + 0.5);
	c.restore();
}

function drawHolds(c, lane, y) {
	let before = -10;
	for (const h of lane.holds) {
		const x1 = toX(h.from.at[view.axis]);
		const x2 = toX(h.to ? h.to.at[view.axis] : span[view.axis]);
		if (x2 < -5 || x1 > view.width + 5 || (x2 - before < CLOSE && h.from !== state.selected))
			continue;
		before = x2;
		const left = Math.max(x1, -8), right = Math.min(x2, view.width + 8);
		bar(c, left, y - 9, right - left, 18, h.gate, !h.to || h.to.what !== 'release');
		if (right - left > 32)
			drawBarText(c, h, x1, x2, y);
	}
}

/* Where marks would cover one another the frequent ones shrink to ticks: opens over the bars, the
   others under them. */
const SMALL = new Set(['arrival', 'open', 'log', 'event', 'step']);
const BARS = new Set(['hold', 'release']); /* their bar is seen */
const ROOM = 7;

function drawTick(c, e, x, y) {
	c.fillStyle = e.what === 'open' ? gateColour(e.gate) : colours.mark;
	c.fillRect(x - 0.6, e.what === 'open' ? y - 15 : y + 11, 1.2, 4);
}

function drawMarks(c, lane, y) {
	const from = firstAt(lane.events, toValue(-10)), to = firstAt(lane.events, toValue(view.width + 10));
	const crowded = (to - from) * ROOM > view.width;
	const last = {};
	let hit = -10;
	for (let i = from; i < to; i++) {
		const e = lane.events[i], x = toX(e.at[view.axis]);
		if (e.hit && x - hit >= CLOSE) {
			hit = x;
			drawHit(c, x, y, crowded);
		}
		if (x - last[e.what] < CLOSE)
			continue;
		last[e.what] = x;
		if (crowded && BARS.has(e.what))
			continue;
		if (crowded && SMALL.has(e.what))
			drawTick(c, e, x, y);
		else
			drawMark(c, e, x, y);
		if (e.text !== undefined && !crowded)
			drawText(c, e, x, y, i + 1 < lane.events.length ? toX(lane.events[i + 1].at[view.axis]) : view.width);
	}
}

/* A log, an event's name, a signal: beside its mark, as far as there is room before the next one. */
function drawText(c, e, x, y, until) {
	const room = until - x - 18;
	if (room < 4 * LETTER)
		return;
	const shown = e.text.length * LETTER <= room ? e.text : e.text.slice(0, Math.floor(room / LETTER) - 1) + '…';
	c.textAlign = 'left';
	c.fillStyle = colours.muted;
	c.fillText(shown, x + 9, y - 10);
}

function drawHit(c, x, y, crowded) {
	if (crowded) {
		c.fillStyle = colours.hit;
		c.fillRect(x - 1, y - LANE / 2 + 2, 2, 6);
	} else {
		ring(c, x, y, colours.hit, 1.6);
	}
}

/* What the thread did when the run ended, where there is room for it. */
function drawEnd(c, lane, y) {
	const w = lane.thread.waiting;
	if (!w || w.held || w.kind === 'running' || !lane.events.length)
		return;
	const end = Math.min(toX(span[view.axis]), view.width) - 6;
	const begin = Math.max(toX(lane.events[lane.events.length - 1].at[view.axis]) + 12, 4);
	const width = c.measureText(w.text).width;
	if (end - begin < width + 8)
		return;
	c.textAlign = 'right';
	c.fillStyle = w.in_cycle ? colours.bad : colours.muted;
	c.fillText(w.text, end, y - 10);
}

function drawLaneBack(c, lane, y) {
	const w = lane.thread.waiting;
	if (w && w.in_cycle) {
		c.globalAlpha = 0.55;
		c.fillStyle = colours['bad-soft'];
		c.fillRect(0, y - LANE / 2, view.width, LANE);
		c.globalAlpha = 1;
	} else if (state.lane === lane.index) {
		c.fillStyle = colours['accent-soft'];
		c.globalAlpha = 0.45;
		c.fillRect(0, y - LANE / 2, view.width, LANE);
		c.globalAlpha = 1;
	}
	c.fillStyle = colours['line-soft'];
	c.fillRect(0, y + LANE / 2 - 1, view.width, 1);
}

/* ---- arrows ---- */

function arrow(c, x1, y1, x2, y2, colour, width) {
	const down = y2 > y1 ? 1 : -1;
	const bend = Math.min(Math.max(Math.abs(x2 - x1) * 0.5, 14), 60);
	const endY = y2 - down * 10, startY = y1 + down * 8;
	c.strokeStyle = c.fillStyle = colour;
	c.lineWidth = width;
	c.beginPath();
	c.moveTo(x1, startY);
	c.bezierCurveTo(x1, startY + down * bend * 0.6, x2, endY - down * bend, x2, endY - down * 4);
	c.stroke();
	path(c, [[x2, endY], [x2 - 3.6, endY - down * 6.5], [x2 + 3.6, endY - down * 6.5]]);
	c.closePath();
	c.fill();
}

function isTouched(a) {
	const e = state.over || state.selected;
	return e && (a.from === e || a.to === e);
}

function drawArrow(c, a, strong) {
	const x1 = toX(a.from.at[view.axis]), x2 = toX(a.to.at[view.axis]);
	const y1 = centreY(lanes[a.from.lane]), y2 = centreY(lanes[a.to.lane]);
	arrow(c, x1, y1, x2, y2, gateColour(a.gate), strong ? 2.4 : 1.4);
}

/* Thinned out where they are many: those of two lanes keep a distance. */
function drawArrows(c) {
	const seen = arrows.filter(a => a.to.at[view.axis] >= view.from && a.from.at[view.axis] <= view.to);
	const crowded = seen.length * ROOM * 2 > view.width * 3;
	const last = new Map();
	c.globalAlpha = crowded ? 0.35 : 0.8;
	for (const a of seen) {
		const key = a.from.lane * lanes.length + a.to.lane, x = toX(a.to.at[view.axis]);
		if (!view.arrows || isTouched(a) || x - last.get(key) < (crowded ? 9 : 3))
			continue;
		last.set(key, x);
		drawArrow(c, a, false);
	}
	c.globalAlpha = 1;
	for (const a of seen)
		if (isTouched(a))
			drawArrow(c, a, true);
}

/* ---- all of it ---- */

function drawVerdictLine(c) {
	const x = toX(span[view.axis]);
	if (data.verdict === 'ok' || x < 0 || x > view.width + 1)
		return;
	c.strokeStyle = colours['bad-line'];
	c.lineWidth = 1.5;
	c.setLineDash([5, 3]);
	c.beginPath();
	c.moveTo(x, 0);
	c.lineTo(x, view.height);
	c.stroke();
	c.setLineDash([]);
}

function drawFocus(c, e, colour, width) {
	if (e && e.lane !== undefined)
		ring(c, toX(e.at[view.axis]), centreY(lanes[e.lane]), colour, width, 10);
}

function drawPicture() {
	const marks = ticks();
	drawRuler(marks);
	const c = sized(picture, view.width, view.height);
	drawFolds(c, Math.min(view.height, spaceHeight - view.top), false);
	c.fillStyle = colours['line-soft'];
	for (const [x] of marks)
		c.fillRect(Math.round(x), 0, 1, Math.min(view.height, spaceHeight - view.top));
	const seen = lanes.filter(l => l.y + LANE >= view.top && l.y <= view.top + view.height);
	for (const l of seen) {
		const y = centreY(l);
		drawLaneBack(c, l, y);
		drawLife(c, l, y);
		drawHolds(c, l, y);
	}
	drawVerdictLine(c);
	drawArrows(c);
	for (const l of seen) {
		drawMarks(c, l, centreY(l));
		drawEnd(c, l, centreY(l));
	}
	drawFocus(c, state.over, colours.muted, 1.5);
	drawFocus(c, state.selected, colours.accent, 2.4);
}

/* How much happens where; the part in sight is framed. */
function drawOverview() {
	const width = view.width, c = sized(overview, width, 34);
	const all = whole(), inner = width - 2 * MARGIN, columns = new Uint32Array(Math.ceil(inner / 3) + 1);
	let most = 1;
	for (const e of events) {
		const i = Math.floor((e.at[view.axis] - all.from) / (all.to - all.from) * inner / 3);
		most = Math.max(most, ++columns[i]);
	}
	c.fillStyle = colours.life;
	columns.forEach((n, i) => {
		const h = n ? 3 + 21 * Math.log(1 + n) / Math.log(1 + most) : 0;
		c.fillRect(MARGIN + i * 3, 30 - h, 2, h);
	});
	c.fillStyle = colours.hit;
	for (const e of search.hits)
		c.fillRect(MARGIN + (e.at[view.axis] - all.from) / (all.to - all.from) * inner, 1, 1.5, 4);
	const x1 = MARGIN + (view.from - all.from) / (all.to - all.from) * inner;
	const x2 = MARGIN + (view.to - all.from) / (all.to - all.from) * inner;
	c.globalAlpha = 0.12;
	c.fillStyle = colours.accent;
	c.fillRect(x1, 0, Math.max(x2 - x1, 3), 34);
	c.globalAlpha = 1;
	c.strokeStyle = colours.accent;
	c.lineWidth = 1.5;
	c.strokeRect(x1 + 0.5, 1, Math.max(x2 - x1, 3) - 1, 32);
}
